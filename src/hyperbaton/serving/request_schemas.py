"""What requests may say, as JSON Schema: checks and descriptions are made of it."""

from functools import cache
from typing import Any

from hyperbaton.corpus.sentences.marking import MARKUP, PASS_THROUGH
from hyperbaton.decoder.explanation import N_ALTERNATIVES
from hyperbaton.decoder.options import MOST_OPTIONS
from hyperbaton.serving.limits import RequestLimits


def text(what: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": what, **more}


def number(what: str, least: int, most: int, **more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": what, "minimum": least, "maximum": most, **more}


def flag(what: str, default: bool) -> dict[str, Any]:
    return {"type": "boolean", "description": what, "default": default}


def _for_each(what: str, limits: RequestLimits) -> dict[str, Any]:
    strings = {"type": "array", "items": {"type": "string"}, "maxItems": limits.sentences}
    return {"anyOf": [{"type": "string"}, strings], "description": what}


def _limit() -> dict[str, Any]:
    return {
        "anyOf": [{"type": "integer", "minimum": 0, "maximum": 10**6}, {"enum": ["inf"]}],
        "description": "Longest jump in words, or inf.",
    }


def _system_fields(limits: RequestLimits) -> dict[str, Any]:
    """Which system translates, and how it is changed for this request."""
    number_of = {"type": "number", "minimum": -1e6, "maximum": 1e6}
    return {
        "model": text("Name of the system; the first one by default."),
        "weights": {
            "type": "object",
            "additionalProperties": number_of,
            "description": "Weights by name of feature; the others stay as they are.",
        },
        "distortion": {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": 100,
            "description": "Names of the distortion models to use; the others are switched off.",
        },
        "limit": _limit(),
        "search": {
            "type": "object",
            "description": "Settings of the search.",
            "properties": {
                "pop_limit": number("Steps tried for each stack.", 1, limits.pops),
                "stack_size": number("Hypotheses kept in each stack.", 1, limits.pops),
                "beam": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1e6,
                    "description": "How much worse than the best a hypothesis may be; 0: no limit.",
                },
                "options": number("Translations for each source phrase.", 1, MOST_OPTIONS),
                "drop_unknown": {"type": "boolean", "description": "Leave unknown words out."},
                "time_limit": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": limits.seconds,
                    "description": "Seconds for each sentence, after which few steps are tried; "
                    "0: no limit.",
                },
            },
        },
        "markup": {
            "enum": list(MARKUP),
            "default": PASS_THROUGH,
            "description": "What to do with markup in the text.",
        },
    }


@cache
def translate_schema(limits: RequestLimits) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": _for_each("A sentence, or a list of sentences.", limits),
            "n_best": number("Length of the n-best list.", 1, limits.n_best, default=1),
            "distinct": flag("Keep each translation only once in the n-best list.", False),
            "alignment": flag("Give word alignments.", True),
            "features": flag("Give the values of all features.", True),
            "force": _for_each(
                "Translate into this, or the nearest that the system can say; one for each "
                "sentence.",
                limits,
            ),
            "prefix": _for_each("Begin the translation with these words.", limits),
            "order": _for_each("Translate source words in this order: 4 0-2 3.", limits),
            **_system_fields(limits),
        },
    }


@cache
def explain_schema(limits: RequestLimits) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": text("The sentence."),
            "n_best": number("Derivations to list.", 1, limits.n_best, default=10),
            "distinct": flag("List each translation only once.", False),
            "derivations": number("Derivations to explain step by step.", 1, 10, default=1),
            "alternatives": number(
                "Other spans to show at each step.", 0, 50, default=N_ALTERNATIVES
            ),
            "options": number(
                "Translations to show for each span; 0: none.", 0, MOST_OPTIONS, default=3
            ),
            "reference": text("A translation to compare with.", default=""),
            "force": text("A translation to explain beside the best one."),
            "prefix": text("A beginning of the translation, likewise."),
            "order": text("An order of the source words, likewise: 4 0-2 3."),
            "limits": {
                "type": "array",
                "items": _limit(),
                "maxItems": limits.sweep,
                "default": [],
                "description": "Also translate with each of these distortion limits.",
            },
            "beams": {
                "type": "array",
                "items": number("Stack size; the pop limit is twice that.", 1, limits.pops // 2),
                "maxItems": limits.sweep,
                "default": [],
                "description": "Also translate with stacks of each of these sizes.",
            },
            **_system_fields(limits),
        },
    }
