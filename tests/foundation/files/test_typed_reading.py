"""Plain values become typed ones, or errors that name the place and what was expected there."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NotRequired, TypedDict

import pytest
from msgspec import Meta, Struct

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.files.typed_reading import TooLong, typed
from tests.refusals import refusals, refused


class Word(TypedDict):
    text: str
    tag: NotRequired[str]


class Beam(Struct):
    size: Annotated[int, Meta(ge=1, le=9)] = 5


@dataclass(frozen=True)
class Recipe:
    name: str
    words: tuple[Word, ...] = ()
    weights: dict[str, float] | None = None
    beam: Beam = Beam()
    limits: Annotated[list[int | Literal["inf"]], Meta(max_length=2)] | None = None
    path: Path | None = None
    pair: tuple[int, str] | None = None
    share: Annotated[float, Meta(gt=0, title="a share above 0")] = 1.0


def test_all_kinds_of_records_are_made():
    content = {
        "name": "a",
        "words": [{"text": "b"}, {"text": "c", "tag": "N"}],
        "weights": {"lm": 1},
        "beam": {"size": 7},
        "limits": [3, "inf"],
        "pair": [1, "x"],
    }
    words = {"text": "b"}, {"text": "c", "tag": "N"}
    made = typed(content, Recipe)
    assert made == Recipe("a", words, {"lm": 1.0}, Beam(7), [3, "inf"], None, (1, "x"))
    assert type(made.weights["lm"]) is float


ALL = "known: name, words, weights, beam, limits, path, pair, share, other"


@refusals(
    ([], "file.toml: the content cannot be [] … expected keys with values"),
    ({}, "file.toml: name is missing"),
    ({"name": None}, "file.toml: name cannot be null … expected text"),
    ({"nam": "a"}, f"file.toml: unknown key 'nam' … {ALL} … did you mean name?"),
    ({"othr": 1}, "unknown key 'othr' … known: name, … did you mean other?"),
    ({"zzz": 1}, "unknown key 'zzz' … known: name, "),
    ({"words": [{}]}, "words[0].text is missing"),
    ({"words": "a"}, "words cannot be 'a' … expected a list"),
    (
        {"words": [{"text": "a"}, {"text": "b", "tga": 1}]},
        "unknown key 'words[1].tga' … known: text, tag … did you mean tag?",
    ),
    ({"weights": {"lm": 1, "x": "1"}}, "weights.x cannot be '1' … expected a number"),
    ({"weights": {"lm": True}}, "weights.lm cannot be true … expected a number"),
    ({"beam": {"size": 0}}, "beam.size cannot be 0 … expected a whole number >= 1"),
    ({"beam": {"sise": 0}}, "unknown key 'beam.sise' … known: size … did you mean size?"),
    ({"limits": [1, "in"]}, "limits[1] cannot be 'in' … a whole number or 'inf'"),
    ({"limits": [1.5]}, "limits[0] cannot be 1.5 … a whole number or 'inf'"),
    ({"limits": [1, 2, 3]}, "limits has 3 items … at most 2"),
    ({"path": 3}, "path cannot be 3 … expected text"),
    ({"pair": [1, 2]}, "pair[1] cannot be 2 … expected text"),
    ({"share": 0.0}, "share cannot be 0.0 … expected a share above 0"),
    ({"name": ["b" * 99]}, f'name cannot be ["{"b" * 58}… … expected text'),
    error=SettingError,
)
def test_a_refusal_names_the_place_and_what_was_expected(content):
    whole = {"name": "a"} | content if content and "nam" not in content else content
    hook = lambda _, value: Path(value)  # noqa: E731
    typed(whole, Recipe, "file.toml", hook=hook, also=["other"])


@pytest.mark.parametrize("content", [{}, {"name": "a", "zzz": 1}, {"name": "a", "words": [{}]}])
def test_nothing_is_advised_where_no_name_is_near(content):
    error = refused("", lambda: typed(content, Recipe), SettingError)
    assert error.advice == ""
    assert bool(error.expected) == ("zzz" in content)


def test_a_list_that_is_too_long_is_an_error_of_its_own():
    refused("", lambda: typed({"name": "a", "limits": [1, 2, 3]}, Recipe), TooLong)
