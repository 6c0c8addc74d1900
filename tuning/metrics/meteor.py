"""METEOR with exact and stem matching (Banerjee and Lavie 2005).

    Fmean = 10 P R / (R + 9 P),  penalty = 0.5 (chunks / matches)³,  score = Fmean (1 − penalty)

P and R are the shares of hypothesis and reference words that are matched; chunks are runs of
matches that are adjacent and in the same order on both sides. Matches, chunks and lengths are
summed over the sentences, with the best reference for each.

The WordNet synonyms of the original, and the paraphrases and tuned parameters of later versions,
are not implemented. The name of the metric therefore lists its matchers: its scores are not
comparable with those of other METEORs. A perfect translation scores slightly below 100, because a
sentence of m words is one chunk and the penalty is 0.5 / m³.

The alignment (§2.2) has two stages: equal words, then equal stems of the remaining words. Each
stage links as many words as possible, each to at most one word of the other side. Of all such
alignments it takes the one with the fewest crossing links, then the one with the fewest chunks.

In a stage every word belongs to one class (its word, its stem). A class with a words in the
hypothesis and b in the reference gets min(a, b) links, which need not cross each other, so the
search only decides which words of the larger side stay free. It goes through the hypothesis from
left to right:

    hypothesis   the  cat  saw  the  dog       a link to reference word r crosses the links
    reference    the  dog  saw  a  cat         so far that go behind r, whatever comes later

so the future depends only on the set of used reference words and the last link. States that agree
in both are merged, and the best `BEAM` are kept, which solves short sentences exactly. For
sentences of thousands of words the beam is narrower (`MOST_WORK`).
"""

import threading
from functools import cache

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.hashing import GOLDEN
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.tuning.metrics.words import Batch, TextOptions, WordMetric

STEMMER = "porter"
BEAM = 32
MOST_WORK = 1 << 24  # beam width × hypothesis words × reference words is at most this
FREE = -1  # in links: the word has none; in classes: the word is not considered
CROSSING = 1 << 20  # costs more than any number of chunks
_NO_LINK_BEFORE = -2  # no reference word is its successor


class Meteor(WordMetric):
    """Statistics: matches, chunks, hypothesis length, reference length."""

    name = "METEOR-exact-stem"
    n_statistics = 4

    def __init__(self, options: TextOptions = TextOptions()) -> None:
        super().__init__(options)
        self._kept = threading.local()  # stemmers have state, so each thread has its own

    @property
    def signature(self) -> str:
        return f"{self.options.signature}|match:exact,stem[{STEMMER}]|reference:best"

    def _stem(self, word: str) -> str:
        import snowballstemmer  # type: ignore[import-untyped]

        if not hasattr(self._kept, "stem"):
            self._kept.stem = cache(snowballstemmer.stemmer(STEMMER).stemWord)
        stem: str = self._kept.stem(word)
        return stem

    def count(self, batch: Batch) -> FloatArray:
        stems, number_of = np.unique(list(map(self._stem, batch.words)), return_inverse=True)
        rows = batch.rows
        aligned = align_all(
            rows.values,
            number_of.astype(np.int64),
            rows.offsets,
            batch.first_reference,
            max(len(batch.words), len(stems)),
        )
        hypothesis = batch.hypotheses.lengths[batch.sentence_of_reference]
        candidates = np.column_stack([aligned, hypothesis, batch.references.lengths])
        best: FloatArray = candidates[batch.best_references(self.score(candidates))]
        return best

    def score(self, sums: FloatArray) -> FloatArray:
        matches, chunks, hypothesis, reference = np.moveaxis(sums, -1, 0)
        precision = matches / np.maximum(hypothesis, 1)
        recall = matches / np.maximum(reference, 1)
        denominator = recall + 9 * precision
        mean = 10 * precision * recall / np.where(denominator > 0, denominator, 1.0)
        penalty = 0.5 * (chunks / np.maximum(matches, 1)) ** 3
        result: FloatArray = 100 * mean * (1 - penalty)
        return result


@kernel
def align_all(words, stems, offsets, first_reference, n_words):
    """Matches and chunks of every reference with its hypothesis, (n_references, 2).

    Rows are all hypotheses, then all references; `stems` are numbers for `words`.
    """
    n_sentences = len(first_reference) - 1
    result = np.zeros((first_reference[-1], 2))
    local = np.full(n_words, FREE, np.int64)
    for sentence in range(n_sentences):
        hypothesis = words[offsets[sentence] : offsets[sentence + 1]]
        for reference in range(first_reference[sentence], first_reference[sentence + 1]):
            row = n_sentences + reference
            links = align(hypothesis, words[offsets[row] : offsets[row + 1]], stems, local)
            for at in range(len(links)):
                if links[at] != FREE:
                    result[reference, 0] += 1
                    joined = at > 0 and links[at - 1] != FREE and links[at - 1] + 1 == links[at]
                    result[reference, 1] += not joined
    return result


@inner
def align(hypothesis, reference, stems, local):
    """The reference position of every hypothesis word, or FREE. `local` is scratch, all FREE."""
    links = np.full(len(hypothesis), FREE, np.int64)
    here, there = hypothesis.astype(np.int64), reference.astype(np.int64)
    _link_classes(here, there, links, local)
    for at in range(len(there)):
        there[at] = stems[reference[at]]
    for at in range(len(here)):
        here[at] = FREE if links[at] != FREE else stems[hypothesis[at]]
        if links[at] != FREE:
            there[links[at]] = FREE
    _link_classes(here, there, links, local)
    return links


@inner
def _link_classes(here, there, links, local):
    """Adds the links of one stage to the existing ones."""
    n_classes, n_here, n_there = _common_classes(here, there, local)
    if n_classes:
        n_words = max(1, len(here) * len(there))
        beam = max(1, min(BEAM, MOST_WORK // n_words))
        _search(here, there, links, n_here, n_there, beam)


@inner
def _common_classes(here, there, local):
    """Numbers the classes that both sides have, from 0, in place; the others become FREE."""
    n_here = np.zeros(len(here), np.int64)
    n_there = np.zeros(len(here), np.int64)
    n_classes = 0
    numbers = here.copy()
    for at in range(len(here)):
        if here[at] != FREE:
            if local[here[at]] == FREE:
                local[here[at]] = n_classes
                n_classes += 1
            here[at] = local[here[at]]
            n_here[here[at]] += 1
    for at in range(len(there)):
        if there[at] != FREE:
            there[at] = local[there[at]]
            if there[at] != FREE:
                n_there[there[at]] += 1
    n_common = 0
    for at in range(len(here)):
        if numbers[at] != FREE:
            local[numbers[at]] = FREE  # restores the scratch array
            if n_there[here[at]]:
                n_common += 1
            else:
                here[at] = FREE
    return (n_classes if n_common else 0), n_here[:n_classes], n_there[:n_classes]


@inner
def _search(here, there, links, n_here, n_there, beam):
    """Beam search over the hypothesis from left to right; fills in `links`."""
    n, m, n_classes = len(here), len(there), len(n_here)
    first, following = _chains(there, n_classes)
    # A state: links so far; for every class, how many words may still stay free, and the next word
    used = np.zeros((beam, m), np.bool_)
    slack = np.zeros((beam, n_classes), np.int64)
    upcoming = np.zeros((beam, n_classes), np.int64)
    last = np.full(beam, _NO_LINK_BEFORE, np.int64)
    cost = np.zeros(beam, np.int64)
    used_key = np.zeros(beam, np.uint64)  # a sum over the used words: equal sets, equal keys
    slack[0] = np.abs(n_there - n_here)
    upcoming[0] = first
    parents = np.zeros((n, beam), np.int64)
    choices = np.full((n, beam), FREE, np.int64)
    above = np.empty(m + 1, np.int64)  # used words from here on
    most = beam * (np.max(slack[0]) + 2)
    new = np.empty((most, 4), np.int64)  # state, reference word, slack afterwards, cost
    new_key = np.empty(most, np.uint64)
    chosen = np.empty(beam, np.int64)
    n_states = 1
    for at in range(n):
        kind = here[at]
        if kind == FREE and links[at] == FREE:
            parents[at, :n_states] = np.arange(n_states)
            last[:n_states] = _NO_LINK_BEFORE
            continue
        n_new = 0
        for state in range(n_states):
            above[m] = 0
            for r in range(m - 1, -1, -1):
                above[r] = above[r + 1] + used[state, r]
            r = links[at] if kind == FREE else upcoming[state, kind]
            left = np.int64(0) if kind == FREE else slack[state, kind]
            if kind != FREE and n_here[kind] > n_there[kind] and left:
                new[n_new] = (state, FREE, left - 1, cost[state])  # this word stays free
                new_key[n_new] = used_key[state]
                n_new += 1
            may_skip = kind != FREE and n_here[kind] <= n_there[kind]
            while r != FREE:
                price = CROSSING * above[r + 1] + (last[state] + 1 != r)
                new[n_new] = (state, r, left, cost[state] + price)
                new_key[n_new] = used_key[state] + _scatter(r)
                n_new += 1
                if not (may_skip and left):
                    break
                r, left = following[r], left - 1
        n_states = _choose(new, new_key, n_new, chosen)
        _advance(new, chosen[:n_states], used, slack, upcoming, last, cost, kind, following)
        for place in range(n_states):
            parents[at, place], choices[at, place] = new[chosen[place], 0], new[chosen[place], 1]
        used_key[:n_states] = new_key[chosen[:n_states]]
    state = 0  # states are ordered by cost
    for at in range(n - 1, -1, -1):
        links[at] = choices[at, state]
        state = parents[at, state]


@inner
def _scatter(number):
    """Hashes a number to 64 bits, so that sums of different sets differ."""
    mixed = np.uint64(number + 1) * GOLDEN
    return (mixed ^ (mixed >> np.uint64(32))) * GOLDEN


@inner
def _chains(there, n_classes):
    """The first reference word of every class, and for every word the next one of its class."""
    first = np.full(n_classes, FREE, np.int64)
    following = np.full(len(there), FREE, np.int64)
    for r in range(len(there) - 1, -1, -1):
        if there[r] != FREE:
            following[r] = first[there[r]]
            first[there[r]] = r
    return first, following


@inner
def _choose(new, new_key, n_new, chosen):
    """Chooses the cheapest continuations, of equal states only the cheapest; returns their
    number."""
    if n_new == 1:
        chosen[0] = 0
        return 1
    n_chosen = 0
    for candidate in np.argsort(new[:n_new, 3], kind="mergesort"):
        known = False
        for place in range(n_chosen):
            other = chosen[place]
            if new_key[other] == new_key[candidate] and new[other, 1] == new[candidate, 1]:
                known = True
                break
        if not known:
            chosen[n_chosen] = candidate
            n_chosen += 1
            if n_chosen == len(chosen):
                break
    return n_chosen


@inner
def _advance(new, chosen, used, slack, upcoming, last, cost, kind, following):
    """Replaces the states by the chosen continuations, in place."""
    if len(chosen) > 1 or new[chosen[0], 0] != 0:
        parents = new[chosen, 0]
        used[: len(chosen)] = used[parents]
        slack[: len(chosen)] = slack[parents]
        upcoming[: len(chosen)] = upcoming[parents]
    for place in range(len(chosen)):
        _, r, left, price = new[chosen[place]]
        cost[place] = price
        last[place] = _NO_LINK_BEFORE if r == FREE else r
        if kind != FREE:
            slack[place, kind] = left
        if r != FREE:
            used[place, r] = True
            if kind != FREE:
                upcoming[place, kind] = following[r]
