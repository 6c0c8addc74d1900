"""Types of the answers, from which the description of the API is generated."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.serving.limits import RequestLimits


def about(what: str) -> Meta:
    return Meta(description=what)


Limit = int | Literal["inf"]
Words = Sequence[str]
Span = Annotated[Sequence[int], about("Start and end, half-open, from 0.")]
Segmentation = Annotated[
    Sequence[Sequence[int]],
    about("Source start and end, target start and end of each phrase, in target order."),
]
Alignment = Annotated[Sequence[Sequence[int]], about("Pairs of source and target positions.")]
Features = Annotated[Mapping[str, float], about("Values by feature name.")]
Parts = Annotated[Mapping[str, float], about("Values by part of the score.")]


class Error(TypedDict):
    message: Annotated[str, about("What is wrong.")]
    where: NotRequired[str]
    expected: NotRequired[Annotated[str, about("What was expected, or which names exist.")]]
    advice: NotRequired[Annotated[str, about("What to do.")]]


class Failure(TypedDict):
    id: NotRequired[Annotated[int, about("Number of the sentence in a list, from 0.")]]
    error: Error


# Statistics of a search
Counts = TypedDict("Counts", dict.fromkeys(SearchStatistics().counts(), int))  # type: ignore[misc]


class Translation(TypedDict):
    translation: str
    tokens: NotRequired[Words]
    score: float
    alignment: NotRequired[Alignment]
    segmentation: Segmentation
    features: NotRequired[Features]


class Translated(Translation):
    id: Annotated[int, about("Number of the sentence, from 0.")]
    source: str
    source_tokens: NotRequired[Words]
    source_places: NotRequired[
        Annotated[Sequence[Span], about("Positions of the tokens in the raw text.")]
    ]
    search: Counts
    n_best: NotRequired[
        Annotated[Sequence[Translation], about("All but the best translation, in order.")]
    ]


class Result(TypedDict):
    text: str
    tokens: Words
    score: float
    alignment: Alignment
    segmentation: Segmentation
    unknown_steps: Sequence[int]
    features: Features


class Alternative(TypedDict):
    source: Span
    source_words: Words
    target_words: Words
    jump: int
    unknown: bool
    chosen: bool
    part_scores: Annotated[Parts, about("Weighted contribution of each part.")]
    future: Annotated[float, about("Estimate for the remaining words.")]
    total: float


class End(TypedDict):
    word_scores: Annotated[Sequence[float], about("log p of each target word.")]
    values: Features
    contributions: Annotated[Features, about("Value times weight.")]


class Step(End):
    source: Span
    target: Span
    source_words: Words
    target_words: Words
    unknown: bool
    jump: int
    covered: Annotated[Sequence[int], about("1 for each source word translated so far.")]
    score: Annotated[float, about("Score of the derivation so far.")]
    events: Annotated[
        Mapping[str, Sequence[tuple[str, float]]],
        about("What distortion models score in this step, such as operations, with log p."),
    ]
    alternatives: Sequence[Alternative]


class Derivation(Result):
    translation: Annotated[str, about("Tokens separated by spaces.")]
    part_scores: Annotated[Parts, about("Total contribution of each part.")]
    shares: Annotated[Parts, about("Share of each part in the sum of absolute contributions.")]
    steps: Sequence[Step]
    end: End
    svg: Annotated[str, about("A drawing.")]
    metrics: NotRequired[Annotated[Mapping[str, float], about("Scores against the reference.")]]


class Rule(TypedDict):
    depth: Annotated[int, about("In the tree, from 0; the rules in the gaps of a rule follow it.")]
    source: Span
    target: Span
    left: Annotated[str, about("The source side; X1 and X2 are gaps.")]
    right: str
    is_unknown: bool
    is_chain: Annotated[bool, about("Whether it only puts spans one after the other.")]
    adds: Annotated[float, about("To the score, without the language model.")]


class Tree(Result):
    rules: Sequence[Rule]
    svg: Annotated[str, about("A drawing.")]


class Differences(TypedDict):
    """Requested derivation minus best derivation: values above 0 favour the requested one."""

    score: float
    parts: Parts
    features: Features


class Requested(TypedDict):
    kind: str
    error: NotRequired[Error]
    lacks: NotRequired[Words]
    no_phrase: NotRequired[
        Annotated[Words, about("Missing words that no option of the sentence contains.")]
    ]
    adds: NotRequired[Words]
    derivation: NotRequired[Derivation]
    differences: NotRequired[Differences]


class Effect(TypedDict, total=False):
    """The translation with another limit or beam, or an error."""

    limit: Limit
    beam: int
    error: Error
    text: str
    score: float
    segmentation: Segmentation
    seconds: float
    hypotheses: int


class Settings(TypedDict):
    pop_limit: int
    stack_size: int
    beam: float
    options: int
    drop_unknown: bool
    time_limit: float


class Option(TypedDict):
    target_words: Words
    score: float
    unknown: bool


class SpanOptions(TypedDict):
    source: Span
    source_words: Words
    n_options: int
    options: Sequence[Option]


class Stack(TypedDict):
    covered: int
    hypotheses: int
    kept: int
    best: float


class SearchReport(Counts):
    seconds: float
    stacks: Sequence[Stack]


class HeatMap(TypedDict):
    title: str
    rows: Words
    columns: Words
    values: Sequence[Sequence[float | None]]
    row_title: str
    column_title: str


class Explained(TypedDict):
    model: str
    text: str
    source_places: NotRequired[Sequence[Span]]
    tags: NotRequired[Words]
    source: Words
    weights: Features
    parts: Annotated[Mapping[str, Words], about("The features of each part of the score.")]
    distortion_models: Words
    reference: NotRequired[str]
    derivations: Sequence[Derivation]
    trees: NotRequired[
        Annotated[Sequence[Tree], about("The derivations of a system with hierarchical rules.")]
    ]
    n_best: Sequence[Result]
    limit: Limit
    settings: Settings
    search: SearchReport
    options: Sequence[SpanOptions]
    heat_maps: Sequence[HeatMap]
    requested: NotRequired[Requested]
    limits: Sequence[Effect]
    beams: Sequence[Effect]


class Distortion(TypedDict):
    name: str
    kind: str
    settings: Mapping[str, Any]
    features: Words
    needs: Words
    uses: Words


class Feature(TypedDict):
    name: str
    part: str
    weight: float


class Example(TypedDict):
    """An example sentence and its caption."""

    text: str
    caption: str


class Model(TypedDict):
    name: str
    raw_text: bool
    text: Mapping[str, Any] | None
    phrase_pairs: int
    hierarchical: Annotated[bool, about("Whether these are rules with gaps.")]
    language_model_order: int
    distortion: Sequence[Distortion]
    features: Sequence[Feature]
    limit: Limit
    search: Settings
    examples: Sequence[Example]


class Models(TypedDict):
    hyperbaton: str
    models: Sequence[Model]
    limits: RequestLimits


class Health(TypedDict):
    status: str
    requests: int
