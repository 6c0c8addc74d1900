"""N-best lists in Moses format: `id ||| words ||| features ||| score`, and optional further fields.

Features are those in the lists, and additional ones from files with one number per entry or from
functions. The score of the list is a feature too: it includes the weights with which the list was
produced, so using it alone reproduces the order of the list.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hyperbaton.corpus.text import parse_lines
from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.catalogue import Catalogue
from hyperbaton.foundation.errors import BadLine, DataError, SettingError, counted

SCORE = "score"
# Maps a source sentence (None if unknown) and its translations to one number per translation
FeatureFunction: TypeAlias = Callable[[str | None, list[str]], Iterable[float]]


class NBestEntry(NamedTuple):
    sentence: int
    text: str
    score: float
    features: str = ""  # as in the file: lm= -12.3 msd= 0 -1.2
    more: tuple[str, ...] = ()  # further fields


def parse_entry(line: str) -> NBestEntry:
    fields = [field.strip(" ") for field in line.split("|||")]
    try:
        number, text, features, score, *more = fields
        entry = NBestEntry(int(number), text, float(score), features, tuple(more))
    except ValueError:
        entry = NBestEntry(-1, "", 0.0)
    if entry.sentence < 0 or not isfinite(entry.score):
        raise BadLine("n-best", "not an entry of an n-best list", "id ||| words ||| … ||| score")
    return entry


def entry_line(entry: NBestEntry) -> str:
    """The line of an entry in a file."""
    first = str(entry.sentence), entry.text, entry.features, f"{entry.score:.6g}"
    return " ||| ".join([*first, *entry.more])


def read_lists(path: Path) -> Generator[list[NBestEntry], None, None]:
    """Yields the list of one sentence after the other; ids must not decrease, but may have gaps."""
    before = -1
    entries = (entry for _, entry in parse_lines(path, parse_entry))
    for sentence, group in groupby(entries, lambda entry: entry.sentence):
        if sentence < before:
            raise DataError(
                f"the list of sentence {sentence} comes after that of {before}", where=str(path)
            )
        before = sentence
        yield list(group)


def side_by_side(readers: Sequence[Iterator[list[NBestEntry]]]) -> Iterator[list[list[NBestEntry]]]:
    """Yields the existing lists of every sentence from 0 to the last one."""
    waiting = [next(reader, None) for reader in readers]
    sentence = 0
    while any(waiting):
        here = [
            n for n, entries in enumerate(waiting) if entries and entries[0].sentence == sentence
        ]
        yield [entries for n, entries in enumerate(waiting) if n in here and entries]
        for n in here:
            waiting[n] = next(readers[n], None)
        sentence += 1


@dataclass(frozen=True, eq=False)
class FeatureLists:
    """H entries of n sentences; those of list i are `offsets[i]` to `offsets[i + 1]`."""

    entries: list[NBestEntry]
    offsets: Int64Array  # (n + 1,)
    names: tuple[str, ...]
    values: FloatArray  # (H, features)
    where: str
    n_added: int = 0  # the last features, which are not in the lists

    def __len__(self) -> int:
        """The number of lists; a sentence may have none."""
        return len(self.offsets) - 1

    @property
    def sentences(self) -> list[int]:
        """The numbers of the sentences with lists."""
        return [self.entries[first].sentence for first in self.offsets[:-1].tolist()]

    def check_sentences(self, n: int, where: str) -> None:
        """Raises if a list belongs to none of the `n` lines of another file."""
        if self.sentences[-1] >= n:
            raise DataError(
                f"has a list of sentence {self.sentences[-1]}",
                where=self.where,
                expected=f"{where} has {counted(n, 'line')}, for sentences from 0",
            )

    def with_feature(self, name: str, values: FloatArray) -> "FeatureLists":
        if name in self.names:
            raise SettingError(f"there are two features {name!r}", advice="rename one of them")
        columns = np.column_stack([self.values, values])
        return replace(self, names=(*self.names, name), values=columns, n_added=self.n_added + 1)


def read_feature_lists(path: Path) -> FeatureLists:
    entries: list[NBestEntry] = []
    values, offsets = [], [0]
    names: tuple[str, ...] | None = None
    for group in read_lists(path):
        for entry in group:
            entries.append(entry)  # one per line
            try:
                parsed, numbers = parse_features(entry.features)
                if parsed != (names := parsed if names is None else names):
                    expected = f"the first entry has {' '.join(names) or 'none'}"
                    raise BadLine("features", f"has the features {' '.join(parsed)}", expected)
            except BadLine as bad:
                bad.where = f"{path}:{len(entries)}"
                raise
            values.append([entry.score, *numbers])
        offsets.append(len(entries))
    if names is None:
        raise DataError("has no entries of an n-best list", where=str(path))
    if SCORE in names:
        raise DataError(
            f"has a feature named {SCORE!r}, which is the name of the total score",
            where=str(path),
            advice="rename the feature in the list",
        )
    return FeatureLists(entries, np.array(offsets), (SCORE, *names), np.array(values), str(path))


def parse_features(text: str) -> tuple[tuple[str, ...], list[float]]:
    """Parses names and values; several values after one name are numbered.

    >>> parse_features("lm= -12.5 msd= 0 -1")
    (('lm', 'msd.0', 'msd.1'), [-12.5, 0.0, -1.0])
    """
    groups: list[tuple[str, list[float]]] = []
    for token in text.split():
        if token.endswith("=") and token != "=":
            groups.append((token[:-1], []))
        elif groups:
            groups[-1][1].append(_number(token, f"the feature {groups[-1][0]}"))
        else:
            raise BadLine("features", f"{token!r} has no feature name before it", "name= value …")
    names = [
        name if len(values) == 1 else f"{name}.{number}"
        for name, values in groups
        for number in range(len(values))
    ]
    if len(set(names)) < len(names):
        raise BadLine("features", "has a feature twice", "every name once")
    return tuple(names), [value for _, values in groups for value in values]


def add_features(
    lists: FeatureLists, texts: Iterable[str], sources: Sequence[str] | None = None
) -> FeatureLists:
    """Adds features given as `name=FILE` or `name=module:function`."""
    for text in texts:
        name, _, place = text.partition("=")
        if not name or not place or len(name.split()) != 1:
            raise SettingError(
                f"{text!r} is not a feature",
                where="--feature",
                expected="name=FILE, or name=module:function",
            )
        is_function = ":" in place and not Path(place).exists()
        feature = FUNCTIONS.find(place) if is_function else Path(place)
        if is_function and not callable(feature):
            raise SettingError(f"{place} is not callable", expected="a function")
        lists = with_features(lists, {name: feature}, sources)
    return lists


def with_features(
    lists: FeatureLists, features: Mapping[str, Any], sources: Sequence[str] | None = None
) -> FeatureLists:
    """Adds features: files, numbers for all entries, or functions."""
    for name, feature in features.items():
        if callable(feature):
            values = _called(lists, feature, sources)
        elif isinstance(feature, (str, os.PathLike)):
            values = _read(lists, Path(feature))
        else:
            values = _checked(lists, np.asarray(feature, dtype=np.float64), name)
        lists = lists.with_feature(name, values)
    return lists


def _read(lists: FeatureLists, path: Path) -> FloatArray:
    return _checked(lists, np.array([value for _, value in parse_lines(path, _number)]), str(path))


def _checked(lists: FeatureLists, values: FloatArray, where: str) -> FloatArray:
    if len(values) != len(lists.entries):
        raise DataError(
            f"has {counted(len(values), 'line')}",
            where=where,
            expected=f"{lists.where} has {len(lists.entries):,} entries; each needs one number",
        )
    if not np.isfinite(values).all():
        raise DataError("has a value that is not finite", where=where)
    return values


def _called(
    lists: FeatureLists, function: FeatureFunction, sources: Sequence[str] | None
) -> FloatArray:
    """The values of a feature function for all lists."""
    parts = []
    for sentence, (begin, end) in zip(
        lists.sentences, pairwise(lists.offsets.tolist()), strict=True
    ):
        texts = [entry.text for entry in lists.entries[begin:end]]
        values = np.asarray(
            function(sources[sentence] if sources else None, texts), dtype=np.float64
        )
        if values.shape != (len(texts),) or not np.isfinite(values).all():
            raise DataError(
                f"returned {np.array2string(values, threshold=5)} for sentence {sentence} with "
                f"{counted(len(texts), 'translation')}",
                where=f"{function.__module__}:{getattr(function, '__name__', '')}",
                expected="a finite number for each",
            )
        parts.append(values)
    return np.concatenate(parts)


def _number(text: str, of: str = "the line") -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise BadLine("features", f"{of} has {text!r}", "a finite number")
    return value


FUNCTIONS = Catalogue("function for a feature", object, {}, "hyperbaton.list_features")
