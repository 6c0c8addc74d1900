"""Converts plain values from TOML and JSON to classes with annotated fields.

msgspec converts and checks. The error for an invalid value gives its place, the expected type and,
for an unknown name, the most similar known one. A record is a dataclass, a typed dictionary or an
msgspec struct; unknown keys are rejected.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import repeat
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from hyperbaton.foundation.errors import SettingError, suggestion

Hook: TypeAlias = Callable[[type, Any], Any]  # converts values of types that msgspec does not know
Kind = TypeVar("Kind")
LISTS, TABLES = (list, tuple, Sequence), (dict, Mapping)
LONGEST = 60  # characters of a value in an error
NOTHING = (NoneType, msgspec.UnsetType)
WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "Path": "text",
    "array": "a list",
}


class TooLong(SettingError):
    """A list has too many items."""


class _Part(NamedTuple):
    """A value inside another one, with its place and expected type."""

    place: str
    value: Any
    kind: Any


def typed(
    value: Any,
    kind: type[Kind],
    where: str = "",
    hook: Hook | None = None,
    also: Iterable[str] = (),
) -> Kind:
    """Converts a value to a type; `where` is its file, and `also` are more names to suggest."""
    whole = _Part("", value, kind)
    try:
        converted = msgspec.convert(value, kind, dec_hook=hook)
    except msgspec.ValidationError as error:
        path, message = _path_to_misfit(whole, str(error), hook)
        _check_keys(path, where, also)  # a key is often missing because it is misspelt
        raise _refusal(path[-1], message, where) from None
    _check_keys(_with_all_parts(whole), where, also)
    return converted


def _path_to_misfit(part: _Part, message: str, hook: Hook | None) -> tuple[list[_Part], str]:
    """The path to the innermost invalid part, and msgspec's message about it."""
    what, is_inside, _ = message.partition(" - at `")
    for inner in _parts(part) if is_inside else ():
        try:
            msgspec.convert(inner.value, inner.kind, dec_hook=hook)
        except msgspec.ValidationError as error:
            path, what = _path_to_misfit(inner, str(error), hook)
            return [part, *path], what
    return [part], what


def _with_all_parts(part: _Part) -> Iterator[_Part]:
    """Yields the part, and all lists and tables inside it."""
    yield part
    for inner in _parts(part):
        if isinstance(inner.value, list | dict):
            yield from _with_all_parts(inner)


def _check_keys(parts: Iterable[_Part], where: str, also: Iterable[str]) -> None:
    for part in parts:
        known = [name for option in _options(part.kind) for name in _fields(option)]
        known += also if known and not part.place else ()
        for key in part.value if known and isinstance(part.value, dict) else ():
            if key not in known:
                raise SettingError(
                    f"unknown key {_inside(part, key)!r}",
                    where=where,
                    expected=f"known: {', '.join(known)}",
                    advice=suggestion(key, known),
                )


def _refusal(part: _Part, message: str, where: str) -> SettingError:
    missing = re.fullmatch(r"Object missing required field `(.*)`", message)
    if missing:
        return SettingError(f"{_inside(part, missing[1])} is missing", where=where)
    bound = re.fullmatch(r"Expected `(\w+)` ((of length )?[<>]=? .*)", message)
    if bound and bound[2].startswith("of length <"):
        n_items = f"{part.place} has {len(part.value):,} items"
        most = f"expected at most {int(bound[2].split()[-1]):,}"
        return TooLong(n_items, where=where, expected=most)
    expected = _title(part.kind) or (
        f"{WORDS[bound[1]]} {bound[2]}" if bound else _in_words(part.kind)
    )
    is_text = isinstance(part.value, str)
    shown = repr(part.value) if is_text else json.dumps(part.value, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
    what = f"{part.place or 'the content'} cannot be {shown}"
    return SettingError(what, where=where, expected=f"expected {expected}")


def _parts(part: _Part) -> Iterator[_Part]:
    """Yields the parts of a value."""
    value = part.value
    for option in _options(part.kind):
        origin, inside = get_origin(option), get_args(option)
        if isinstance(value, list) and origin in LISTS:
            kinds = inside if origin is tuple and ... not in inside else repeat(inside[0])
            for number, (item, kind) in enumerate(zip(value, kinds, strict=False)):
                yield _Part(f"{part.place}[{number}]", item, kind)
        elif isinstance(value, dict):
            fields = dict.fromkeys(value, inside[1]) if origin in TABLES else _fields(option)
            for key, item in value.items():
                if key in fields:
                    yield _Part(_inside(part, key), item, fields[key])


def _inside(part: _Part, key: str) -> str:
    return f"{part.place}.{key}" if part.place else key


def _options(kind: Any) -> list[Any]:
    """The types of a union; for another type, only itself."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Annotated, NotRequired):
        return _options(inside[0])
    if origin in (Union, UnionType):
        return [option for member in inside for option in _options(member)]
    return [kind]


@cache
def _fields(kind: Any) -> Mapping[str, Any]:
    """The types of a record's fields; empty for other types."""
    is_class = isinstance(kind, type) and get_origin(kind) is None
    return get_type_hints(kind, include_extras=True) if is_class else {}


def _title(kind: Any) -> str:
    """The type's description of its values, from `Meta(title=…)`."""
    metas = [meta for meta in get_args(kind)[1:] if isinstance(meta, msgspec.Meta)]
    return next((meta.title for meta in metas if meta.title), "")


def _in_words(kind: Any) -> str:
    """Describes a type in words.

    >>> _in_words(int | list[str] | Literal["inf"] | None)
    "a whole number or a list or 'inf'"
    """
    words: list[str] = []
    for option in _options(kind):
        if get_origin(option) is Literal:
            words += map(repr, get_args(option))
        elif get_origin(option) in LISTS:
            words.append(WORDS["array"])
        elif option not in NOTHING:
            words.append(WORDS.get(getattr(option, "__name__", ""), "keys with values"))
    return " or ".join(words)
