"""The word lists of the grammars: `lexicon.tsv` in the folder of each source language.

One entry a line: category, source form(s), English, features; tab-separated, `#` starts a comment
line. Several source forms (inflections) are joined by `/`. Features are separated by spaces, each a
flag (`animate`) or `key=value`. Within a category the order is the rank: frequencies fall like
1 / (rank + 2), and every tenth entry of the tail is kept out of training so that development and
test sets hold unknown words.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hyperbaton.data_samples.generator.synchronous import Chooser

COMMON = 20  # ranks that are never kept out of training


@dataclass(frozen=True, eq=False)  # hashed by identity: answers about entries are remembered
class Entry:
    category: str
    forms: tuple[str, ...]
    english: str
    features: dict[str, str]
    rank: int

    @property
    def unseen(self) -> bool:
        return self.rank >= COMMON and self.rank % 10 == 9

    def has(self, feature: str) -> bool:
        return feature in self.features


class Lexicon:
    def __init__(self, language: str) -> None:
        path = Path(__file__).parent / language / "lexicon.tsv"
        text = path.read_text(encoding="utf-8")
        self._entries: dict[str, list[Entry]] = {}
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            category, forms, english, *rest = line.split("\t")
            features = dict(_feature(item) for item in " ".join(rest).split())
            rank = len(self._entries.setdefault(category, []))
            entry = Entry(category, tuple(forms.split("/")), english, features, rank)
            self._entries[category].append(entry)

    def entries(self, category: str) -> list[Entry]:
        return self._entries[category]

    def pick(
        self, choose: Chooser, category: str, wanted: Callable[[Entry], bool] = lambda _: True
    ) -> Entry:
        """An entry drawn by its rank among those of the category that are `wanted`."""
        known = self._weighted(category, choose.unseen)
        return choose.source.weighted([item for item in known if wanted(item[0])])

    @cache  # noqa: B019 - there are two lexicons, and they last
    def _weighted(self, category: str, unseen: bool) -> list[tuple[Entry, float]]:
        return [
            (entry, 1.0 / (entry.rank + 2))
            for entry in self._entries[category]
            if unseen or not entry.unseen
        ]


def _feature(item: str) -> tuple[str, str]:
    key, _, value = item.partition("=")
    return key, value
