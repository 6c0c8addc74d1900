"""What answers hold: types of plain values, which describe them to programs."""

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
Features = Annotated[Mapping[str, float], about("Values by name of feature.")]
Parts = Annotated[Mapping[str, float], about("Values by name of part of the score.")]


class Error(TypedDict):
    message: Annotated[str, about("What is wrong.")]
    where: NotRequired[str]
    expected: NotRequired[Annotated[str, about("What was expected, or exists.")]]
    advice: NotRequired[Annotated[str, about("What to do.")]]


class Failure(TypedDict):
    id: NotRequired[Annotated[int, about("Number of the sentence in a list.")]]
    error: Error


# What a search did
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
        Annotated[Sequence[Span], about("Where the tokens stand in raw text.")]
    ]
    search: Counts
    n_best: NotRequired[
        Annotated[Sequence[Translation], about("The second best, the third best, …")]
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
    part_scores: Annotated[Parts, about("What each part adds, weighted.")]
    future: Annotated[float, about("Estimate for the words left.")]
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
    covered: Annotated[Sequence[int], about("1 for each source word translated by then.")]
    score: Annotated[float, about("Of the derivation up to here.")]
    alternatives: Sequence[Alternative]


class Derivation(Result):
    translation: Annotated[str, about("Tokens with spaces between them.")]
    part_scores: Annotated[Parts, about("What each part adds in all.")]
    shares: Annotated[Parts, about("Each part's share of all that was added or taken away.")]
    steps: Sequence[Step]
    end: End
    svg: Annotated[str, about("A drawing.")]
    metrics: NotRequired[Annotated[Mapping[str, float], about("Scores against the reference.")]]


class Differences(TypedDict):
    """Above 0: for what was requested; below 0: against it."""

    score: float
    parts: Parts
    features: Features


class Requested(TypedDict):
    kind: str
    error: NotRequired[Error]
    lacks: NotRequired[Words]
    no_phrase: NotRequired[
        Annotated[Words, about("Those of them that no option of the sentence has.")]
    ]
    adds: NotRequired[Words]
    derivation: NotRequired[Derivation]
    differences: NotRequired[Differences]


class Effect(TypedDict, total=False):
    """What one other limit or beam makes of the sentence, or an error."""

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
    """A sentence to try a system on, and what it shows."""

    text: str
    caption: str


class Model(TypedDict):
    name: str
    raw_text: bool
    text: Mapping[str, Any] | None
    phrase_pairs: int
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
