"""The steps from a corpus to a phrase table, and the parts that each step makes.

    lexical    lexical translation probabilities
    shard      occurrences in a block of sentences, by the part of their source phrases
    pairs      the distinct pairs of a part, with counts, and their target phrases by part
    targets    target phrases of a part in word order, counts of counts of their pairs, and for
               each pair the row and the count c(e) of its target phrase
    postings   the sentences of the target phrases of a part
    totals     counts of counts, and the first target phrase of each part
    section    the finished entries of a part, which `sections.py` joins

Every part is computed from the corpus and from parts of earlier steps on the shelf, so any machine
can compute it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.files import corpus_at
from hyperbaton.foundation.arrays import BoolArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.work.shelf import Arrays, Shelf, owned
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.phrases.checking import reordering_type
from hyperbaton.models.phrases.collecting import collect
from hyperbaton.models.phrases.entries import logarithms
from hyperbaton.models.phrases.extraction import extract_block
from hyperbaton.models.phrases.lexical import LexicalTable, estimate_lexical, lexical_weights
from hyperbaton.models.phrases.numbering import number_phrases, number_rows
from hyperbaton.models.phrases.partitions import Division, group_by_part
from hyperbaton.models.phrases.pruning import (
    best_first,
    find_sentences,
    keep_best,
    significance,
    significance_threshold,
)
from hyperbaton.models.phrases.reordering import (
    BY_SOURCE,
    ORIENTATIONS,
    ReorderingType,
    orientation_columns,
    reordering_scores,
)
from hyperbaton.models.phrases.sections import frequencies, section, used_rows
from hyperbaton.models.phrases.settings import GRID, NONE, PhraseSettings
from hyperbaton.models.phrases.smoothing import (
    SEEN,
    PairCounts,
    counts_of_counts,
    pairs_by_count,
    translation_probabilities,
)
from hyperbaton.models.phrases.sorted_trie import Nodes, build_nodes, living, sorted_order


def part_names(step: str, n: int) -> list[str]:
    return [f"{step}-{part}" for part in range(n)]


@dataclass(frozen=True, eq=False)
class PhraseSteps:
    corpus: AlignedCorpus
    settings: PhraseSettings
    division: Division
    shelf: Shelf

    def make(self, name: str) -> None:
        """Computes a part and puts it on the shelf."""
        makers: dict[str, Callable[[int], Arrays]] = {
            "lexical": self._lexical,
            "shard": self._extract,
            "pairs": self._collect,
            "targets": self._number_targets,
            "postings": self._find_targets,
            "totals": self._add_up,
            "section": self._score,
        }
        step, _, part = name.rpartition("-")
        self.shelf.put(name, makers[step](int(part)))

    @property
    def kind(self) -> ReorderingType | None:
        return reordering_type(self.settings.reordering)

    @property
    def shards(self) -> list[str]:
        return part_names("shard", -(-len(self.corpus) // self.division.shard))

    @property
    def pairs(self) -> list[str]:
        return part_names("pairs", self.division.n_parts)

    @property
    def targets(self) -> list[str]:
        return part_names("targets", self.division.n_target_parts)

    def _lexical(self, _: int) -> Arrays:
        return estimate_lexical(self.corpus)._asdict()

    def _extract(self, shard: int) -> Arrays:
        first = shard * self.division.shard
        last = min(first + self.division.shard, len(self.corpus))
        orientation = ORIENTATIONS[self.kind.orientation if self.kind else "wbe"]
        block = extract_block(self.corpus, first, last, self.settings.max_length, orientation)
        columns = block["source_at"].astype(np.int32), block["source_length"].astype(np.int32)
        words = self.corpus.source.words.values
        order, begin = group_by_part(words, *columns, self.division.source)
        return {"occurrences": block[order], "begin": begin}

    def _collect(self, part: int) -> Arrays:
        (occurrences,), _ = self.shelf.gather(self.shards, "begin", part, ["occurrences"])
        source, target = self.corpus.source.words.values, self.corpus.target.words.values
        by_source = self.kind is not None and self.kind.condition == BY_SOURCE
        columns = orientation_columns(self.kind)
        pairs = collect(occurrences, source, target, columns, by_source)
        known = self.shelf.common("lexical-0")
        lexical = LexicalTable(*(known[name] for name in LexicalTable._fields))
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

    def _number_targets(self, part: int) -> Arrays:
        names = ("target_at", "target_length", "target_count")
        (at, length, count), sizes = self.shelf.gather(self.pairs, "part_begin", part, names)
        words, length = self.corpus.target.words.values, length.astype(np.int32)
        number, first = number_phrases(words, at, length)
        order = sorted_order(words, at[first], length[first])
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order))
        row, chosen = rank[number], first[order]
        arrays = {
            "row": row,
            "words": Ragged.gather(words, at[chosen].astype(np.int64), length[chosen]).values,
            "length": length[chosen].astype(np.uint8),
            "count": np.bincount(row, count, len(order)).astype(np.int32)[row],
            "pair_begin": np.cumsum([0, *sizes]),
        }
        if self.settings.smoothing != NONE:
            arrays["seen"] = pairs_by_count(row.astype(np.int64), count, len(order))
        return arrays

    def _find_targets(self, part: int) -> Arrays:
        targets = self.shelf.get(f"targets-{part}")
        words, length = owned(targets["words"]), targets["length"].astype(np.int32)
        at = (np.cumsum(length) - length).astype(np.int32)
        nodes = build_nodes(words, at, length, np.arange(len(length)), GRID)
        postings = find_sentences(nodes, self.corpus.target.words)
        postings = postings.take(nodes.of_phrases.astype(np.int64))
        return {"begin": postings.offsets, "sentences": postings.values}

    def _add_up(self, _: int) -> Arrays:
        pairs, targets = map(self.shelf.get, self.pairs), map(self.shelf.get, self.targets)
        sizes = [len(part["length"]) for part in targets]
        return {
            "of_counts": np.sum([part["of_counts"] for part in pairs], axis=0),
            "target_begin": np.cumsum([0, *sizes]),
        }

    def _score(self, part: int) -> Arrays:
        pairs = self.shelf.get(f"pairs-{part}")
        nodes = Nodes(*(owned(pairs[name]) for name in Nodes._fields))
        count, n_pairs = owned(pairs["pair_count"]), owned(pairs["n_pairs"])
        node = np.repeat(np.arange(len(n_pairs)), n_pairs)
        totals = self.shelf.get("totals-0")
        row, target_count = self._of_targets(part, pairs, totals["target_begin"])
        counts = PairCounts(
            count,
            pairs["source_count"][node],
            target_count,
            pairs_by_count(node, count, len(n_pairs))[node],
            self._seen(pairs, totals["target_begin"], row),
            totals["of_counts"],
        )
        direct, inverse = translation_probabilities(counts, self.settings.smoothing)
        order = best_first(n_pairs, direct, row)
        keep = count >= self.settings.min_count
        if self.settings.top:
            keep &= keep_best(order, n_pairs, self.settings.top)
        if self.settings.significance != NONE:
            keep &= self._significant(pairs, totals["target_begin"], row, nodes)
        order = order[keep[order]]
        n_entries = np.bincount(node[order], minlength=len(n_pairs)).astype(np.int32)
        nodes, chosen = living(nodes, n_entries)
        orientation, orientations = used_rows(pairs["orientation"][order], pairs["orientations"])
        scores = logarithms(reordering_scores(self.kind, orientations))
        rows = [target_count[order], counts.source[order], count[order]]
        rows += [logarithms(inverse[order]), logarithms(direct[order])]
        return section(
            nodes,
            n_entries[chosen],
            row[order],
            pairs["lexical"][order],
            frequency=number_rows(frequencies(rows)),
            alignment=used_rows(pairs["alignment"][order], pairs["alignments"]),
            reordering=(orientation, scores),
        )

    def _of_targets(
        self, part: int, pairs: Arrays, begin: Int64Array
    ) -> tuple[Int32Array, Int32Array]:
        """Row and count of the target phrase of each pair."""
        (rows, counts), sizes = self.shelf.gather(
            self.targets, "pair_begin", part, ["row", "count"]
        )
        by_part = owned(pairs["by_part"])
        row, count = np.empty(len(by_part), np.int32), np.empty(len(by_part), np.int32)
        row[by_part] = rows + np.repeat(begin[:-1], sizes)
        count[by_part] = counts
        return row, count

    def _tiles(
        self, pairs: Arrays, begin: Int64Array, row: Int32Array
    ) -> Iterator[tuple[int, Int32Array, Int32Array]]:
        """Yields each part of target phrases with its pairs and their rows in the part."""
        for number in range(self.division.n_target_parts):
            here = pairs["by_part"][slice(*pairs["part_begin"][number : number + 2])]
            yield number, here, row[here] - begin[number]

    def _seen(self, pairs: Arrays, begin: Int64Array, row: Int32Array) -> Int32Array:
        """Counts of counts of the pairs that share each pair's target phrase."""
        seen = np.zeros((len(row), SEEN), np.int32)
        if self.settings.smoothing != NONE:
            for number, here, rows in self._tiles(pairs, begin, row):
                seen[here] = self.shelf.common(f"targets-{number}")["seen"][rows]
        return seen

    def _significant(
        self, pairs: Arrays, begin: Int64Array, row: Int32Array, nodes: Nodes
    ) -> BoolArray:
        n, in_source = len(self.corpus), find_sentences(nodes, self.corpus.source.words)
        node = np.repeat(np.arange(len(pairs["n_pairs"])), pairs["n_pairs"])
        values = np.empty(len(node))
        for number, here, rows in self._tiles(pairs, begin, row):
            postings = self.shelf.common(f"postings-{number}")
            in_target = Ragged(postings["sentences"], postings["begin"])
            values[here] = significance(node[here], rows.astype(np.int64), in_source, in_target, n)
        keep: BoolArray = values >= significance_threshold(self.settings.significance, n)
        return keep


def make_part(
    here: Workplace,
    corpus: AlignedCorpus | Path,
    settings: PhraseSettings,
    division: Division,
    shelf: Shelf,
    name: str,
) -> None:
    PhraseSteps(corpus_at(here, corpus), settings, division, shelf.at(here)).make(name)
