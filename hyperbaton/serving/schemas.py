"""What requests may say, as JSON Schema: the one source of the checks and of the description.

Only the words of JSON Schema that we use are understood: type, properties, required, items, enum,
anyOf, minimum, maximum, minLength, maxItems, and additionalProperties with the schema of a value.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from hyperbaton.serving.limits import Limits
from hyperbaton.serving.refusals import BAD_REQUEST, TOO_LARGE, Refused
from models.data.marking import MARKUP, PASS_THROUGH
from models.errors import nearest

Schema: TypeAlias = Mapping[str, Any]
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def check(value: Any, schema: Schema, where: str = "") -> None:
    """Refuses a value that does not follow the schema, and says where and what was expected."""
    if "anyOf" in schema:
        _check_any(value, schema["anyOf"], where)
    elif "enum" in schema:
        if value not in schema["enum"]:
            raise _wrong(value, where, f"expected one of {', '.join(map(str, schema['enum']))}")
    elif not _has_type(value, schema["type"]):
        raise _wrong(value, where, f"expected {NAMES[schema['type']]}")
    elif schema["type"] == "array":
        _check_list(value, schema, where)
    elif schema["type"] == "object":
        _check_object(value, schema, where)
    else:
        _check_size(value, schema, where)


def _has_type(value: Any, name: str) -> bool:
    is_kind = isinstance(value, TYPES[name])
    return is_kind and (name == "boolean" or not isinstance(value, bool))


def _check_any(value: Any, schemas: list[Schema], where: str) -> None:
    """One of the schemas must hold; the one of the value's type says what is wrong."""
    for schema in schemas:
        if "type" in schema and _has_type(value, schema["type"]):
            return check(value, schema, where)
        if value in schema.get("enum", ()):
            return None
    expected = " or ".join(
        NAMES[one["type"]] if "type" in one else " or ".join(map(repr, one["enum"]))
        for one in schemas
    )
    raise _wrong(value, where, f"expected {expected}")


def _check_list(value: list[Any], schema: Schema, where: str) -> None:
    most = schema.get("maxItems", len(value))
    if len(value) > most:
        raise Refused(
            TOO_LARGE,
            f"{where} has {len(value):,} items",
            expected=f"this server takes {most:,} at most",
        )
    for number, item in enumerate(value):
        check(item, schema["items"], f"{where}[{number}]")


def _check_object(value: dict[str, Any], schema: Schema, where: str) -> None:
    known, other = schema.get("properties", {}), schema.get("additionalProperties")
    for name, item in value.items():
        path = f"{where}.{name}" if where else name
        if name in known:
            check(item, known[name], path)
        elif other:
            check(item, other, path)
        else:
            raise Refused(
                BAD_REQUEST,
                f"there is no field {path!r}",
                expected=f"known: {', '.join(known)}",
                advice=_suggestion(name, list(known)),
            )
    for name in schema.get("required", ()):
        if name not in value:
            raise Refused(BAD_REQUEST, f"the field {name!r} is missing")


def _check_size(value: Any, schema: Schema, where: str) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and value < least:
        raise _wrong(value, where, f"expected {least} or more")
    if most is not None and value > most:
        raise _wrong(value, where, f"expected {most} or less")


def _suggestion(name: str, known: list[str]) -> str:
    found = nearest(name, known)
    return found if found.startswith("did you mean") else ""


def _wrong(value: Any, where: str, expected: str) -> Refused:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    return Refused(BAD_REQUEST, f"{where or 'the request'} cannot be {shown}", expected=expected)


def text(what: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": what, **more}


def number(what: str, least: int, most: int, **more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": what, "minimum": least, "maximum": most, **more}


def flag(what: str, default: bool) -> dict[str, Any]:
    return {"type": "boolean", "description": what, "default": default}


def _for_each(what: str, limits: Limits) -> dict[str, Any]:
    strings = {"type": "array", "items": {"type": "string"}, "maxItems": limits.sentences}
    return {"anyOf": [{"type": "string"}, strings], "description": what}


def _limit() -> dict[str, Any]:
    return {
        "anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["inf"]}],
        "description": "Longest jump in words, or inf.",
    }


def _system_fields(limits: Limits) -> dict[str, Any]:
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
                "options": number("Translations for each source phrase.", 1, 64),
                "drop_unknown": {"type": "boolean", "description": "Leave unknown words out."},
            },
        },
        "markup": {
            "enum": list(MARKUP),
            "default": PASS_THROUGH,
            "description": "What to do with markup in the text.",
        },
    }


def translate_schema(limits: Limits) -> dict[str, Any]:
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


def explain_schema(limits: Limits) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": text("The sentence."),
            "n_best": number("Derivations to list.", 1, limits.n_best, default=10),
            "distinct": flag("List each translation only once.", False),
            "derivations": number("Derivations to explain step by step.", 1, 10, default=1),
            "alternatives": number("Other spans to show at each step.", 0, 50, default=5),
            "options": number("Translations to show for each span; 0: none.", 0, 64, default=3),
            "reference": text("A translation to compare with."),
            "force": text("A translation to explain beside the best one."),
            "prefix": text("A beginning of the translation, likewise."),
            "order": text("An order of the source words, likewise: 4 0-2 3."),
            "limits": {
                "type": "array",
                "items": _limit(),
                "maxItems": limits.sweep,
                "description": "Also translate with each of these distortion limits.",
            },
            "beams": {
                "type": "array",
                "items": number("Stack size; the pop limit is twice that.", 1, limits.pops // 2),
                "maxItems": limits.sweep,
                "description": "Also translate with stacks of each of these sizes.",
            },
            **_system_fields(limits),
        },
    }
