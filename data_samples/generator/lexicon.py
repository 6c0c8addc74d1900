"""The word lists of the grammars: the `*.tsv` files in the folder of each source language.

One entry a line: category, source form(s), English, features; tab-separated, `-` for nothing. `#`
starts a comment line; an indented line continues the line above. Several source forms are joined by
`/`, translations that mean the same by `|`. Features are separated by spaces, each a flag (`kin`)
or `key=value`, and read as attributes: `entry.kin`. Within a category the order is the rank:
frequencies fall like 1 / (rank + 2), and every tenth entry of the tail is kept out of training so
that development and test sets hold unknown words. Closed classes give their weights (`w=2.5`).
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

COMMON = 20  # first ranks, which are always in training


@dataclass(frozen=True, eq=False)  # hashed by identity, for caches
class Entry:
    category: str
    forms: tuple[str, ...]
    english: str
    features: dict[str, Any]
    rank: int

    def __getattr__(self, feature: str) -> Any:
        if feature.startswith("__"):
            raise AttributeError(feature)
        return self.features.get(feature, "")

    def but(self, **changes: Any) -> "Entry":
        return replace(self, **changes)

    @property
    def word(self) -> str:
        return self.forms[0]

    @property
    def unseen(self) -> bool:
        return self.rank >= COMMON and self.rank % 10 == 9 and not self.w

    @property
    def weight(self) -> float:
        return float(self.w) if self.w else 1.0 / (self.rank + 2)

    def is_of(self, kind: str) -> bool:
        """Whether it is of a class: a category, with a flag or one word of it (plant.shu)."""
        category, _, flag = kind.partition(".")
        fits = not flag or flag in self.features or flag == self.word
        return self.category == category and fits


def read_lexicon(folder: Path) -> dict[str, list[Entry]]:
    """The entries of all word lists of a language, by category."""
    entries: dict[str, list[Entry]] = {}
    for path in sorted(folder.glob("*.tsv")):
        text = re.sub(r",\n[ \t]+", ",", path.read_text(encoding="utf-8"))  # lines that go on
        for line in re.sub(r"\n[ \t]+", " ", text).splitlines():
            if not line or line.startswith("#"):
                continue
            category, *columns, marks = (*line.split("\t"), "")[:4]
            forms, english = ("" if column == "-" else column for column in columns)
            features = dict(_feature(item) for item in marks.split())
            alike = entries.setdefault(category, [])
            alike.append(Entry(category, tuple(forms.split("/")), english, features, len(alike)))
    return entries


def _feature(item: str) -> tuple[str, Any]:
    key, equals, value = item.partition("=")
    return key, value if equals else True
