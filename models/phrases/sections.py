"""Joins sections to a phrase table. A section is a run of source phrases with finished entries.

A section is a mapping of arrays, in memory or on disk. Its nodes are those of a sorted trie without
the root, `level_begin` is the start of each level, and its entries are in the order of the nodes.
Sections are sorted by the first two words. So every level of the table's trie is the concatenation
of the sections' levels, except that consecutive sections may share a first word.

All data are streamed, so tables larger than memory can be written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import (
    MOST_NUMBERED,
    Float32Array,
    FloatArray,
    Int32Array,
    Int64Array,
    Ragged,
    UInt64Array,
)
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import ArrayFolder, Stream
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.phrases.entries import DIRECT_PHRASE, SOURCE_COUNT, logarithms
from hyperbaton.models.phrases.numbering import number_rows
from hyperbaton.models.phrases.sorted_trie import Nodes, build_nodes, sorted_order
from hyperbaton.models.phrases.table import HEADER

TableSection: TypeAlias = Mapping[str, NDArray[Any]]
NODE_COLUMNS = ("word", "n_children", "n_entries")
# values shared by entries: the column of numbers, and the array of distinct rows
SHARED = {"frequency": "frequency_rows", "alignment": "alignments", "reordering": "reordering_rows"}


def section(
    nodes: Nodes,
    n_entries: NDArray[Any],  # by node
    target: Int32Array,
    lexical: Float32Array,
    **shared: tuple[NDArray[Any], NDArray[Any]],  # by the names of SHARED
) -> dict[str, NDArray[Any]]:
    arrays = {**nodes._asdict(), "n_entries": n_entries, "target": target, "lexical": lexical}
    for name, rows in SHARED.items():
        arrays[name], arrays[rows] = shared[name]
    return arrays


def join(
    sections: Sequence[TableSection],
    targets: Callable[[], Iterable[Ragged]],  # the target phrases in their order, part by part
    vocabularies: tuple[Vocabulary, Vocabulary],
    reordering_type: str,
    n_occurrences: float,
    row: Int32Array | None = None,
) -> ArrayFolder:
    """The table as streams. `row` maps the sections' numbers of target phrases to the table's."""
    n_entries = sum(len(each["target"]) for each in sections)
    sizes = [(len(part.values), len(part)) for part in targets()]
    n_words, n_targets = map(sum, zip(*sizes, strict=True))
    for n, what in ((n_entries, "phrase pairs"), (n_words, "words of target phrases")):
        if n > MOST_NUMBERED:
            advice = "drop pairs that were seen once: --set phrases.min_count=2"
            raise DataError(
                f"{n:,} {what} are too many",
                expected=f"expected at most {MOST_NUMBERED:,}",
                advice=advice,
            )

    def entries(name: str, width: int = 0, dtype: type = np.int32, new: Any = None) -> Stream:
        shape = (n_entries, width) if width else (n_entries,)
        return Stream(np.dtype(dtype), shape, _by_level(sections, name, new))

    words, n_children, of_node = _node_columns(sections)
    arrays: dict[str, Any] = {
        "trie_word": words,
        "trie_children": _begins(n_children, 1),
        "entry_begin": _begins(of_node, 0),
        "target": entries("target", new=None if row is None else [row] * len(sections)),
        "target_words": Stream(np.dtype(np.int32), (n_words,), (t.values for t in targets())),
        "target_offsets": _begins(
            Stream(np.dtype(np.int32), (n_targets,), (t.lengths for t in targets())), 0
        ),
        "lexical": entries("lexical", 2, np.float32),
    }
    for name, rows in SHARED.items():
        distinct, new = _shared([each[rows] for each in sections])
        arrays |= {name: entries(name, new=new), rows: distinct}
    header = dict(zip(HEADER, (reordering_type, float(n_occurrences)), strict=True))
    names = ("source_vocabulary", "target_vocabulary")
    return ArrayFolder(header, arrays, dict(zip(names, vocabularies, strict=True)))


def used_rows(number: Int32Array, rows: NDArray[Any]) -> tuple[Int32Array, NDArray[Any]]:
    """The new numbers, and the rows that are used."""
    used = np.zeros(len(rows), bool)
    used[number] = True
    new = (np.cumsum(used) - 1).astype(np.int32)
    return new[number], rows[used]


def _shared(parts: list[NDArray[Any]]) -> tuple[NDArray[Any], list[Int32Array]]:
    """The sorted distinct rows of all parts, and the new numbers of each part's rows."""
    together = np.concatenate(parts) if len(parts) > 1 else parts[0]
    if together.ndim > 1:
        number, rows = number_rows(together)
    else:
        rows, inverse = np.unique(together, return_inverse=True)
        number = inverse.astype(np.int32)
    return rows, np.split(number, np.cumsum([len(part) for part in parts])[:-1])


def _by_level(
    sections: Sequence[TableSection], name: str, new: Sequence[Int32Array] | None
) -> Iterator[NDArray[Any]]:
    """Yields a column of the entries; `new` maps old numbers to new ones."""
    ends = [np.cumsum(np.append(0, each["n_entries"]))[each["level_begin"]] for each in sections]
    for level in range(len(ends[0]) - 1):
        for number, each in enumerate(sections):
            part = each[name][ends[number][level] : ends[number][level + 1]]
            yield new[number][part] if new else part


def _node_columns(sections: Sequence[TableSection]) -> list[Stream]:
    """The columns of all nodes, with the root, whose children are the distinct first words."""
    level = [each["level_begin"] for each in sections]
    first = [slice(0, int(begin[1])) for begin in level]
    every = np.concatenate([e["word"][part] for e, part in zip(sections, first, strict=True)])
    words, row = np.unique(every, return_inverse=True)
    n_nodes = (
        1
        + len(words)
        + sum(len(each["word"]) - int(b[1]) for each, b in zip(sections, level, strict=True))
    )
    root = dict.fromkeys(NODE_COLUMNS, 0) | {"n_children": len(words)}

    def chunks(name: str) -> Iterator[NDArray[Any]]:
        yield np.array([root[name]])
        merged = words
        if name != "word":
            parts = [each[name][part] for each, part in zip(sections, first, strict=True)]
            merged = np.bincount(row, np.concatenate(parts), len(words))
        yield merged
        for k in range(1, len(level[0]) - 1):
            for each, begin in zip(sections, level, strict=True):
                yield each[name][begin[k] : begin[k + 1]]

    return [Stream(np.dtype(np.int32), (n_nodes,), chunks(name)) for name in NODE_COLUMNS]


def _begins(sizes: Stream, start: int) -> Stream:
    """The starts of runs of these sizes, and the end of the last run."""

    def chunks() -> Iterator[Int64Array]:
        end = start
        yield np.array([start])
        for part in sizes.chunks:
            ends = end + np.cumsum(part, dtype=np.int64)
            yield ends
            end = int(ends[-1]) if len(ends) else end

    return Stream(np.dtype(np.int32), (sizes.shape[0] + 1,), chunks())


class EntrySide(NamedTuple):
    """One language's side of phrase pairs."""

    vocabulary: Vocabulary
    phrases: Ragged  # word ids of distinct phrases
    row: Int32Array  # (n_entries,) row of `phrases`


def assemble(
    source: EntrySide,
    target: EntrySide,
    probabilities: Sequence[FloatArray],  # four columns, as in SCORES
    inner: UInt64Array,
    counts: Sequence[NDArray[Any]],  # c(e), c(f), c(f, e)
    reordering: NDArray[np.float64],  # probabilities, (n_entries, columns)
    reordering_type: str = "",
) -> ArrayFolder:
    """Makes a table from entries in any order."""
    nodes = nodes_of(source.phrases)
    n_nodes = len(nodes.word)
    *_, by_words = _sorted_phrases(target.phrases)
    phrases = target.phrases.take(by_words)
    rank = np.empty(len(by_words), np.int32)
    rank[by_words] = np.arange(len(by_words))
    node, row = nodes.of_phrases[source.row], rank[target.row]
    order = np.lexsort((row, -probabilities[DIRECT_PHRASE], node))
    inverse, inverse_lexical, direct, direct_lexical = (
        logarithms(column[order]) for column in probabilities
    )
    alignments, alignment = np.unique(inner[order], return_inverse=True)
    every = np.arange(len(order), dtype=np.int32)  # `join` finds equal rows
    only = section(
        nodes,
        np.bincount(node, minlength=n_nodes),
        row[order],
        np.stack([inverse_lexical, direct_lexical], axis=1),
        frequency=(every, frequencies([*(column[order] for column in counts), inverse, direct])),
        alignment=(alignment, alignments),
        reordering=(every, logarithms(reordering[order])),
    )
    vocabularies = source.vocabulary, target.vocabulary
    source_count = np.zeros(n_nodes)
    np.maximum.at(source_count, node, counts[SOURCE_COUNT])
    return join([only], lambda: [phrases], vocabularies, reordering_type, source_count.sum())


def frequencies(columns: Sequence[NDArray[Any]]) -> Float32Array:
    """c(e), c(f), c(f, e), log φ(f|e), log φ(e|f) of each entry."""
    return np.stack(columns, axis=1, dtype=np.float32, casting="same_kind")


def nodes_of(phrases: Ragged) -> Nodes:
    place, length, order = _sorted_phrases(phrases)
    return build_nodes(phrases.values, place, length, order, int(length.max(initial=1)))


def _sorted_phrases(phrases: Ragged) -> tuple[Int32Array, Int32Array, Int64Array]:
    """Positions and lengths of phrases, and their sorted order."""
    place, length = phrases.offsets[:-1].astype(np.int32), phrases.lengths.astype(np.int32)
    return place, length, sorted_order(phrases.values, place, length)
