"""The steps from a corpus to a phrase table, each in parts that fit into memory.

    shards     occurrences of a block of sentences, by the part of their source phrases
    pairs      the distinct pairs of a part, with what is counted, and their target phrases by part
    targets    target phrases of a part: their order, their counts, and the rows of the pairs
    sections   the finished entries of a part, for `sections.py` to join

Everything that is finished lies on a shelf. On disk, it survives a run that is killed, and the next
run goes on from there.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.arrays import BoolArray, Int32Array, Int64Array
from models.data.array_files import ArrayFolder
from models.data.corpus import AlignedCorpus
from models.errors import DataError
from models.phrases.collecting import collect
from models.phrases.extraction import extract_block
from models.phrases.lexical import LexicalTable, estimate_lexical, lexical_weights
from models.phrases.numbering import number_rows
from models.phrases.partitions import Division, group_by_part
from models.phrases.pruning import (
    Postings,
    best_first,
    find_sentences,
    keep_best,
    significance,
    significance_threshold,
)
from models.phrases.reordering import (
    BY_SOURCE,
    ORIENTATIONS,
    ReorderingType,
    orientation_columns,
    reordering_scores,
)
from models.phrases.sections import Targets, frequencies, join, used_rows
from models.phrases.settings import NONE, PhraseSettings
from models.phrases.shelf import Arrays, Shelf, owned, owned_parts
from models.phrases.smoothing import (
    SEEN,
    PairCounts,
    counts_of_counts,
    pairs_by_count,
    translation_probabilities,
)
from models.phrases.sorted_trie import Nodes, living
from models.phrases.table import logarithms
from models.phrases.targets import number_targets, target_postings
from models.progress import Progress

SHARD = 10_000  # sentence pairs whose occurrences are put aside together


@dataclass(eq=False)
class PhraseTraining:
    corpus: AlignedCorpus
    settings: PhraseSettings
    kind: ReorderingType | None
    division: Division
    shelf: Shelf
    threads: int
    progress: Progress | None = None

    def run(self) -> ArrayFolder:
        """The table as streams, which read from the shelf."""
        n_parts, n_target_parts = self.division.n_parts, self.division.n_target_parts
        shards = range(-(-len(self.corpus) // SHARD))
        if not all(self.shelf.has(f"pairs-{part}") for part in range(n_parts)):
            self._each("shard", len(shards), self._extract, "extracting phrase pairs")
            work = partial(self._collect, estimate_lexical(self.corpus))
            self._each("pairs", n_parts, work, "collecting phrase pairs")
        for shard in shards:
            self.shelf.drop(f"shard-{shard}")
        self._each("targets", n_target_parts, self._number_targets, "counting target phrases")
        if self.settings.significance != NONE:
            self._each("postings", n_target_parts, self._find_targets, "finding target phrases")
        if not self._of_counts.sum():
            raise DataError(
                "no phrase pair can be extracted",
                expected="a corpus with word alignments",
                advice="look at it with hyperbaton corpus",
            )
        self._each("section", n_parts, self._score, "scoring phrase pairs")
        return self._joined()

    def _each(self, name: str, n: int, work: Callable[[int], Arrays], what: str) -> None:
        """Puts the result of every part that is not there yet on the shelf."""
        missing = [part for part in range(n) if not self.shelf.has(f"{name}-{part}")]

        def one(part: int) -> None:
            self.shelf.put(f"{name}-{part}", work(part))

        def report(done: int) -> None:
            if self.progress:
                self.progress(f"{what}, parts of {n}", done)

        report(0)
        with ThreadPoolExecutor(self.threads) as pool:
            for done, _ in enumerate(pool.map(one, missing), n - len(missing) + 1):
                report(done)

    def _extract(self, shard: int) -> Arrays:
        first, last = shard * SHARD, min((shard + 1) * SHARD, len(self.corpus))
        orientation = ORIENTATIONS[self.kind.orientation if self.kind else "wbe"]
        found = extract_block(self.corpus, first, last, self.settings.max_length, orientation)
        columns = found["source_at"].astype(np.int32), found["source_length"].astype(np.int32)
        words = self.corpus.source.words.values
        order, begin = group_by_part(words, *columns, self.division.source)
        return {"occurrences": found[order], "begin": begin}

    def _collect(self, lexical: LexicalTable, part: int) -> Arrays:
        source, target = self.corpus.source.words.values, self.corpus.target.words.values
        by_source = self.kind is not None and self.kind.condition == BY_SOURCE
        columns = orientation_columns(self.kind)
        pairs = collect(self._occurrences(part), source, target, columns, by_source)
        direct, inverse = lexical_weights(pairs, source, target, lexical)
        order, begin = group_by_part(
            target, pairs.target_at, pairs.target_length, self.division.target
        )
        alignments, alignment = np.unique(pairs.inner, return_inverse=True)
        return {
            **pairs.nodes._asdict(),
            "source_count": pairs.source_count,
            "n_pairs": pairs.n_pairs,
            "pair_count": pairs.pair_count,
            "lexical": np.stack([logarithms(inverse), logarithms(direct)], axis=1),
            "alignment": alignment.astype(np.int32),
            "alignments": alignments,
            "orientation": pairs.orientation,
            "orientations": pairs.orientations,
            "of_counts": counts_of_counts(pairs.pair_count),
            # the target phrases, by their part
            "by_part": order,
            "part_begin": begin,
            "target_at": pairs.target_at[order],
            "target_length": pairs.target_length[order].astype(np.int8),
            "target_count": pairs.pair_count[order],
        }

    def _occurrences(self, part: int) -> NDArray[Any]:
        shards = (self.shelf.get(f"shard-{n}") for n in range(-(-len(self.corpus) // SHARD)))
        return np.concatenate(
            [
                shard["occurrences"][shard["begin"][part] : shard["begin"][part + 1]]
                for shard in shards
            ]
        )

    def _pairs(self) -> Iterator[Arrays]:
        return (self.shelf.get(f"pairs-{part}") for part in range(self.division.n_parts))

    def _number_targets(self, part: int) -> Arrays:
        names = ("target_at", "target_length", "target_count")
        parts: list[list[NDArray[Any]]] = [[] for _ in names]
        for pairs in self._pairs():
            here = slice(*pairs["part_begin"][part : part + 2])
            for name, column in zip(names, parts, strict=True):
                column.append(pairs[name][here])
        at, length, count = map(owned_parts, parts)
        begin = np.cumsum([0, *map(len, parts[0])])
        words = self.corpus.target.words.values
        found = number_targets(words, at, length.astype(np.int32), count)
        return {**found, "pair_begin": begin}

    def _find_targets(self, part: int) -> Arrays:
        targets = self.shelf.get(f"targets-{part}")
        words, length = owned(targets["words"]), owned(targets["length"])
        return target_postings(words, length, self.corpus.target.words)._asdict()

    @cached_property
    def _of_counts(self) -> Int64Array:
        counts: Int64Array = np.sum([pairs["of_counts"] for pairs in self._pairs()], axis=0)
        return counts

    @cached_property
    def _target_begin(self) -> Int64Array:
        """The first row of each part of the target phrases."""
        parts = (self.shelf.get(f"targets-{n}") for n in range(self.division.n_target_parts))
        return np.cumsum([0, *(len(part["length"]) for part in parts)])

    def _score(self, part: int) -> Arrays:
        pairs = self.shelf.get(f"pairs-{part}")
        nodes = Nodes(*(owned(pairs[name]) for name in Nodes._fields))
        count, n_pairs = owned(pairs["pair_count"]), owned(pairs["n_pairs"])
        node = np.repeat(np.arange(len(n_pairs)), n_pairs)
        row, target_count, target_seen = self._of_targets(part, pairs)
        counts = PairCounts(
            count,
            pairs["source_count"][node],
            target_count,
            pairs_by_count(node, count, len(n_pairs))[node],
            target_seen,
            self._of_counts,
        )
        direct, inverse = translation_probabilities(counts, self.settings.smoothing)
        order = best_first(n_pairs, direct, row)
        keep = count >= self.settings.min_count
        if self.settings.top:
            keep &= keep_best(order, n_pairs, self.settings.top)
        if self.settings.significance != NONE:
            keep &= self._significant(part, pairs, nodes, node)
        order = order[keep[order]]
        n_entries = np.bincount(node[order], minlength=len(n_pairs)).astype(np.int32)
        nodes, chosen = living(nodes, n_entries)
        alignment, alignments = used_rows(pairs["alignment"][order], pairs["alignments"])
        orientation, orientations = used_rows(pairs["orientation"][order], pairs["orientations"])
        rows = [target_count[order], counts.source[order], count[order]]
        frequency, frequency_rows = number_rows(
            frequencies(rows, logarithms(inverse[order]), logarithms(direct[order]))
        )
        return {
            **nodes._asdict(),
            "n_entries": n_entries[chosen],
            "target": row[order],
            "lexical": pairs["lexical"][order],
            "frequency": frequency,
            "frequency_rows": frequency_rows,
            "alignment": alignment,
            "alignments": alignments,
            "reordering": orientation,
            "reordering_rows": logarithms(reordering_scores(self.kind, orientations)),
        }

    def _of_targets(self, part: int, pairs: Arrays) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Row, count and pairs seen of the target phrase of each pair."""
        n = len(pairs["pair_count"])
        row, count = np.empty(n, np.int32), np.empty(n, np.int32)
        seen = np.zeros((n, SEEN), np.int32)
        for number in range(self.division.n_target_parts):
            targets, here, rows = self._tile(part, number, pairs)
            row[here] = self._target_begin[number] + rows
            count[here] = targets["count"][rows]
            if self.settings.smoothing != NONE:
                seen[here] = targets["seen"][rows]
        return row, count, seen

    def _tile(self, part: int, number: int, pairs: Arrays) -> tuple[Arrays, Int32Array, Int32Array]:
        """A part of the target phrases, the pairs of this part that have one of them, and which."""
        targets = self.shelf.get(f"targets-{number}")
        here = pairs["by_part"][slice(*pairs["part_begin"][number : number + 2])]
        return targets, here, targets["row"][slice(*targets["pair_begin"][part : part + 2])]

    def _significant(self, part: int, pairs: Arrays, nodes: Nodes, node: Int64Array) -> BoolArray:
        values = np.empty(len(node))
        n, in_source = len(self.corpus), find_sentences(nodes, self.corpus.source.words)
        for number in range(self.division.n_target_parts):
            _, here, rows = self._tile(part, number, pairs)
            postings = self.shelf.get(f"postings-{number}")
            in_target = Postings(*(owned(postings[name]) for name in Postings._fields))
            values[here] = significance(node[here], rows.astype(np.int64), in_source, in_target, n)
        keep: BoolArray = values >= significance_threshold(self.settings.significance, n)
        return keep

    def _joined(self) -> ArrayFolder:
        sections = [self.shelf.get(f"section-{n}") for n in range(self.division.n_parts)]
        if not any(len(each["target"]) for each in sections):
            raise DataError(
                f"none of {self._of_counts.sum():,} phrase pairs is left",
                expected="phrases.min_count or phrases.significance is too high",
            )
        used = np.zeros(self._target_begin[-1], bool)
        for each in sections:
            used[each["target"]] = True
        row = None
        if not used.all():
            row = (np.cumsum(used) - 1).astype(np.int32)
        n_occurrences = sum(int(pairs["source_count"].sum()) for pairs in self._pairs())
        vocabularies = self.corpus.source.vocabulary, self.corpus.target.vocabulary
        name = str(self.kind) if self.kind else ""
        return join(sections, lambda: self._targets(used), vocabularies, name, n_occurrences, row)

    def _targets(self, used: BoolArray) -> Iterator[Targets]:
        """The target phrases that are used, part by part."""
        for number in range(self.division.n_target_parts):
            part = self.shelf.get(f"targets-{number}")
            here = used[self._target_begin[number] : self._target_begin[number + 1]]
            words = part["words"][np.repeat(here, part["length"])]
            yield Targets(words, part["length"][here])
