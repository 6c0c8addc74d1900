"""What answers say, as JSON Schema, for the description of the API."""

from dataclasses import fields
from typing import Any

from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.serving.limits import RequestLimits

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
BOOLEAN = {"type": "boolean"}
LIMIT = {"anyOf": [INTEGER, {"enum": ["inf"]}]}


def record(*optional: str, **properties: Any) -> dict[str, Any]:
    """An object with these properties, all of them required but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": properties}


def several(items: Any, what: str = "") -> dict[str, Any]:
    return {"type": "array", "items": items} | ({"description": what} if what else {})


def by_name(values: Any, what: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values, "description": what}


SPAN = several(INTEGER, "Start and end, half-open, from 0.")
WORDS = several(STRING)
SEGMENTATION = several(
    several(INTEGER), "Source start and end, target start and end of each phrase, in target order."
)
ALIGNMENT = several(SPAN, "Pairs of source and target positions.")
FEATURES = by_name(NUMBER, "Values by name of feature.")
ERROR = record(
    "where",
    "expected",
    "advice",
    message=STRING | {"description": "What is wrong."},
    where=STRING,
    expected=STRING | {"description": "What was expected, or exists."},
    advice=STRING | {"description": "What to do."},
)
FAILURE = record(error=ERROR)
COUNTS = dict.fromkeys(SearchStatistics().counts(), INTEGER)
TRANSLATION = {
    "translation": STRING,
    "tokens": WORDS,
    "score": NUMBER,
    "alignment": ALIGNMENT,
    "segmentation": SEGMENTATION,
    "features": FEATURES,
}
OPTIONAL_KEYS = ("tokens", "alignment", "features")  # not always there
TRANSLATED = record(
    *("source_tokens", "source_places", "n_best", *OPTIONAL_KEYS),
    id=INTEGER | {"description": "Number of the sentence, from 0."},
    source=STRING,
    source_tokens=WORDS,
    source_places=several(SPAN, "Where the tokens stand in raw text."),
    **TRANSLATION,
    search=record(**COUNTS),
    n_best=several(record(*OPTIONAL_KEYS, **TRANSLATION), "The second best, the third best, …"),
)
FAILED = record(id=INTEGER, error=ERROR)
RESULT = {
    "text": STRING,
    "tokens": WORDS,
    "score": NUMBER,
    "alignment": ALIGNMENT,
    "segmentation": SEGMENTATION,
    "unknown_steps": several(INTEGER),
    "features": FEATURES,
    "svg": STRING | {"description": "A drawing."},
}
ALTERNATIVE = record(
    source=SPAN,
    source_words=WORDS,
    target_words=WORDS,
    jump=INTEGER,
    unknown=BOOLEAN,
    chosen=BOOLEAN,
    part_scores=by_name(NUMBER, "What each part adds, weighted."),
    future=NUMBER | {"description": "Estimate for the words left."},
    total=NUMBER,
)
STEP = record(
    source=SPAN,
    target=SPAN,
    source_words=WORDS,
    target_words=WORDS,
    unknown=BOOLEAN,
    jump=INTEGER,
    covered=several(INTEGER, "1 for each source word that is translated after the step."),
    word_scores=several(NUMBER, "log p of each target word."),
    values=FEATURES,
    contributions=by_name(NUMBER, "Value times weight."),
    score=NUMBER | {"description": "Of the derivation up to here."},
    alternatives=several(ALTERNATIVE),
)
DERIVATION = record(
    "metrics",
    translation=STRING | {"description": "Tokens with spaces between them."},
    part_scores=by_name(NUMBER, "What each part adds in all."),
    shares=by_name(NUMBER, "Each part's share of all that was added or taken away."),
    steps=several(STEP),
    end=record(
        word_scores=several(NUMBER),
        values=FEATURES,
        contributions=by_name(NUMBER, "Value times weight."),
    ),
    metrics=by_name(NUMBER, "Scores against the reference."),
    **RESULT,
)
REQUESTED = record(
    *("error", "lacks", "adds", "derivation", "differences"),
    kind=STRING,
    error=ERROR,
    lacks=WORDS,
    adds=WORDS,
    derivation=DERIVATION,
    differences=record(
        score=NUMBER,
        parts=by_name(NUMBER, "Above 0: for what was requested; below 0: against it."),
        features=by_name(NUMBER, "Likewise."),
    ),
)
EFFECT = {
    "error": ERROR,
    "text": STRING,
    "score": NUMBER,
    "segmentation": SEGMENTATION,
    "seconds": NUMBER,
    "hypotheses": INTEGER,
}
SETTINGS = record(
    pop_limit=INTEGER,
    stack_size=INTEGER,
    beam=NUMBER,
    options=INTEGER,
    drop_unknown=BOOLEAN,
    time_limit=NUMBER,
)
OPTION = record(target_words=WORDS, score=NUMBER, unknown=BOOLEAN)
STACK = record(covered=INTEGER, hypotheses=INTEGER, kept=INTEGER, best=NUMBER)
EXPLAINED = record(
    *("source_places", "tags", "reference", "requested"),
    model=STRING,
    text=STRING,
    source_places=several(SPAN),
    tags=WORDS,
    source=WORDS,
    weights=FEATURES,
    parts=by_name(WORDS, "The features of each part of the score."),
    distortion_models=WORDS,
    reference=STRING,
    derivations=several(DERIVATION),
    n_best=several(record(**RESULT)),
    limit=LIMIT,
    settings=SETTINGS,
    search=record(**COUNTS, seconds=NUMBER, stacks=several(STACK)),
    options=several(
        record(source=SPAN, source_words=WORDS, n_options=INTEGER, options=several(OPTION))
    ),
    heat_maps=several(
        record(
            title=STRING,
            rows=WORDS,
            columns=WORDS,
            values=several(several({"anyOf": [NUMBER, {"type": "null"}]})),
            row_title=STRING,
            column_title=STRING,
        )
    ),
    requested=REQUESTED,
    limits=several(record(*EFFECT, limit=LIMIT, **EFFECT)),
    beams=several(record(*EFFECT, beam=INTEGER, **EFFECT)),
)
SYSTEM = record(
    name=STRING,
    raw_text=BOOLEAN,
    text={"anyOf": [{"type": "object", "additionalProperties": {}}, {"type": "null"}]},
    phrase_pairs=INTEGER,
    language_model_order=INTEGER,
    distortion=several(
        record(
            name=STRING,
            kind=STRING,
            settings={"type": "object", "additionalProperties": {}},
            features=WORDS,
            needs=WORDS,
            uses=WORDS,
        )
    ),
    features=several(record(name=STRING, part=STRING, weight=NUMBER)),
    limit=LIMIT,
    search=SETTINGS,
    examples=several(record(source=STRING, reference=STRING)),
)
LIMITS = record(**{limit.name: NUMBER for limit in fields(RequestLimits)})
MODELS = record(hyperbaton=STRING, models=several(SYSTEM), limits=LIMITS)
HEALTH = record(status=STRING, requests=INTEGER)
