"""Plain values, as TOML and JSON have them, become what a class with annotated fields declares.

msgspec converts and checks. A value that does not fit becomes an error of ours that names its
place, what was expected there and, for a name that does not exist, the most similar one that does.
A record is a dataclass, a typed dictionary or a struct of msgspec; keys that it does not declare
are refused.
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
LONGEST = 60  # characters of a value that an error shows
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
    """A list has more items than it may have."""


class _Part(NamedTuple):
    """A value inside of another one: where it is, and the type that it should have."""

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
    """The value as this type; `where` is its file, and `also` are more names to suggest."""
    whole = _Part("", value, kind)
    try:
        made = msgspec.convert(value, kind, dec_hook=hook)
    except msgspec.ValidationError as error:
        path, message = _path_to_misfit(whole, str(error), hook)
        _check_keys(path, where, also)  # a key is often missing because it is misspelt
        raise _refusal(path[-1], message, where) from None
    _check_keys(_with_all_parts(whole), where, also)
    return made


def _path_to_misfit(part: _Part, message: str, hook: Hook | None) -> tuple[list[_Part], str]:
    """The parts around the smallest one that does not fit, and what msgspec says about it."""
    what, is_inside, _ = message.partition(" - at `")
    for inner in _parts(part) if is_inside else ():
        try:
            msgspec.convert(inner.value, inner.kind, dec_hook=hook)
        except msgspec.ValidationError as error:
            path, what = _path_to_misfit(inner, str(error), hook)
            return [part, *path], what
    return [part], what


def _with_all_parts(part: _Part) -> Iterator[_Part]:
    """Itself, and all lists and tables inside of it."""
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
        return TooLong(n_items, where=where, expected=f"at most {int(bound[2].split()[-1]):,}")
    expected = _title(part.kind) or (
        f"{WORDS[bound[1]]} {bound[2]}" if bound else _in_words(part.kind)
    )
    is_text = isinstance(part.value, str)
    shown = repr(part.value) if is_text else json.dumps(part.value, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
    what = f"{part.place or 'the content'} cannot be {shown}"
    return SettingError(what, where=where, expected=f"expected {expected}")


def _parts(part: _Part) -> Iterator[_Part]:
    """What a value consists of."""
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
    """The types of a union; other types are the only ones."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Annotated, NotRequired):
        return _options(inside[0])
    if origin in (Union, UnionType):
        return [option for one in inside for option in _options(one)]
    return [kind]


@cache
def _fields(kind: Any) -> Mapping[str, Any]:
    """The types of a record's fields; none for other types."""
    is_class = isinstance(kind, type) and get_origin(kind) is None
    return get_type_hints(kind, include_extras=True) if is_class else {}


def _title(kind: Any) -> str:
    """What the type itself says about its values, by `Meta(title=…)`."""
    metas = [meta for meta in get_args(kind)[1:] if isinstance(meta, msgspec.Meta)]
    return next((meta.title for meta in metas if meta.title), "")


def _in_words(kind: Any) -> str:
    """
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
