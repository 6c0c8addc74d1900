"""Checks values by JSON Schema, with messages for people.

Only the words of JSON Schema that we use are understood: type, properties, required, items, enum,
anyOf, minimum, maximum, maxItems, and additionalProperties with the schema of a value.
"""

from collections.abc import Mapping
from types import NoneType
from typing import Any, TypeAlias

from hyperbaton.foundation.errors import nearest
from hyperbaton.serving.refusals import BAD_REQUEST, TOO_LARGE, Refused

Schema: TypeAlias = Mapping[str, Any]
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (NoneType,),
}
NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def completed(value: Any, schema: Schema) -> dict[str, Any]:
    """A checked object, with the defaults of the properties that it does not have."""
    check(value, schema)
    properties = schema["properties"].items()
    return {name: own["default"] for name, own in properties if "default" in own} | dict(value)


def check(value: Any, schema: Schema, where: str = "") -> None:
    """Refuses a value that does not follow the schema, and says where and what was expected."""
    if not schema:
        return  # anything
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
        elif other is not None:
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
