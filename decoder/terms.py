"""Options for terms: translations that the user gave, among or instead of the phrase table's.

A given translation of probability p has log p as its translation score, in equal shares of the four
features, as in Moses. Language model and penalties score it like any other phrase. The distortion
models know nothing of it but its span.
"""

from collections.abc import Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.sentences.markup import CONSTRAINT, EXCLUSIVE, MODES, Term
from hyperbaton.corpus.text import split_words
from hyperbaton.decoder.options import OPTION, SPAN, WORD, OptionWeights, SentenceOptions
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import inner, kernel, uncounted
from hyperbaton.models.distortion.interface import FIRST_GIVEN, Given, OptionTable
from hyperbaton.models.language_model.automaton import EMPTY_STATE, advance
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.phrases.table import SCORES

NO_WORD = -1  # instead of a word that the phrase table does not know
TERM = np.dtype(
    [
        ("start", np.int32),
        ("end", np.int32),
        ("mode", np.int32),
        ("given", np.int32),  # first of its translations; the next term's follow
    ]
)
OF_MODE = {mode: number for number, mode in enumerate(MODES)}
IS_EXCLUSIVE, IS_CONSTRAINT = OF_MODE[EXCLUSIVE], OF_MODE[CONSTRAINT]


class _Found(NamedTuple):
    """The options of the phrase table, by length and start, in each span best first."""

    start: Int32Array
    end: Int32Array
    entry: Int64Array
    options: NDArray[Any]  # OPTION
    words: NDArray[Any]  # WORD
    target: Int32Array  # of the phrase table, as the next two
    target_offsets: Int32Array
    target_words: Int32Array


class _Joined(NamedTuple):
    """Options from anywhere, and their words."""

    start: Int32Array
    end: Int32Array
    entry: Int64Array
    options: NDArray[Any]  # OPTION
    words: NDArray[Any]  # WORD


class _Terms(NamedTuple):
    """Terms by length and start, and the translations of one after the other."""

    terms: NDArray[Any]  # TERM; the last one only says where the translations end
    offsets: Int64Array  # of their words
    words: Int32Array  # ids of the phrase table, or NO_WORD
    lm_words: Int32Array
    score: FloatArray  # of each of the translation features


def given_score(given: Given) -> float:
    """The value of each of the translation features."""
    return given.log_probability / len(SCORES)


def place_terms(
    terms: Sequence[Term], found: SentenceOptions, lm: LanguageModel, weights: OptionWeights
) -> SentenceOptions:
    """The options of a sentence with those of its terms, and without those that these exclude."""
    table, phrases = found.table, found.table.phrases
    terms = sorted(terms, key=lambda term: (term.end - term.start, term.start))
    given = tuple(
        Given(tuple(split_words(text)), log(probability))
        for term in terms
        for text, probability in term.translations.items()
    )
    start, end, entry, *arrays = _placed(
        _Found(
            table.start,
            table.end,
            table.entry,
            found.options,
            found.option_words,
            phrases.target,
            phrases.target_offsets,
            phrases.target_words,
        ),
        _arrays(terms, given, table, lm),
        lm.automaton,
        weights,
    )
    placed = OptionTable(table.n_words, start, end, entry, phrases, table.drop_unknown, given)
    return SentenceOptions(placed, *arrays)


def _arrays(
    terms: Sequence[Term], given: Sequence[Given], table: OptionTable, lm: LanguageModel
) -> _Terms:
    counts = np.cumsum([0, *(len(term.translations) for term in terms)]).tolist()
    rows = [
        (term.start, term.end, OF_MODE[term.mode], first)
        for term, first in zip(terms, counts, strict=False)
    ]
    words = [word for one in given for word in one.words]
    vocabulary = table.phrases.target_vocabulary
    ids = vocabulary.encode(words)
    ids[[word not in vocabulary for word in words]] = NO_WORD
    return _Terms(
        np.array([*rows, (0, 0, 0, counts[-1])], TERM),
        np.cumsum([0, *(len(one.words) for one in given)]),
        ids,
        lm.vocabulary.encode(words),
        np.array([given_score(one) for one in given]),
    )


@kernel
def _placed(found, terms, lm, weights):
    """Start, end and entry of all options, and the arrays of `SentenceOptions`."""
    every = _joined(found, terms, lm, weights)
    return _laid_out(every, _order(every, found, terms))


@inner
def _joined(found, terms, lm, weights):
    """The options of the table, then those of the terms, and all their words."""
    n_found, n_words = len(found.start), len(found.words)
    size = n_found + len(terms.score)
    start, end = np.empty(size, np.int32), np.empty(size, np.int32)
    entry, options = np.empty(size, np.int64), np.zeros(size, OPTION)
    words = np.empty(n_words + len(terms.words), WORD)
    start[:n_found], end[:n_found] = found.start, found.end
    entry[:n_found], options[:n_found] = found.entry, found.options
    words[:n_words] = found.words
    for number in range(len(terms.terms) - 1):
        for given in range(terms.terms[number].given, terms.terms[number + 1].given):
            n = n_found + given
            start[n], end[n] = terms.terms[number].start, terms.terms[number].end
            entry[n] = FIRST_GIVEN - given
            begin, after = terms.offsets[given], terms.offsets[given + 1]
            options[n].word_begin, options[n].word_end = n_words + begin, n_words + after
            options[n].base = weights.phrase_penalty - weights.word_penalty * (after - begin)
            options[n].base += weights.translation.sum() * terms.score[given]
            _score(
                lm, weights.lm, terms.lm_words[begin:after], options[n], words[n_words + begin :]
            )
    return _Joined(start, end, entry, options, words)


@uncounted
def _score(lm, weight, ids, option, words):
    """Fills in what the language model says of an option by itself."""
    state, total = np.int32(EMPTY_STATE), 0.0
    for at in range(len(ids)):
        logprob, state = advance(lm, state, ids[at])
        total += weight * logprob
        words[at].word, words[at].state, words[at].tail = ids[at], state, total
    for at in range(len(ids)):
        words[at].tail = total - words[at].tail
    option.estimate, option.lm_state = total, state


@inner
def _order(every, found, terms):
    """Which options there are, by length and start, in each span best first."""
    n_found, at, n = len(found.start), 0, 0
    order = np.empty(len(every.start), np.int64)
    waiting = np.ones(len(every.start), np.bool_)
    for number in range(len(terms.terms) - 1):
        term = terms.terms[number]
        first, last = n_found + term.given, n_found + terms.terms[number + 1].given
        while at < n_found and _comes_before(every, at, term):
            order[n] = at
            n += _is_kept(found, terms, at)
            at += 1
        for n_left in range(last - first, -1, -1):  # of the term's own
            best = _best(every.options, waiting, first, last)
            while at < n_found and every.start[at] == term.start and every.end[at] == term.end:
                if n_left and _total(every.options[at]) < _total(every.options[best]):
                    break
                order[n] = at
                n += _is_kept(found, terms, at)
                at += 1
            if n_left:
                order[n], waiting[best] = best, False
                n += 1
    while at < n_found:
        order[n] = at
        n += _is_kept(found, terms, at)
        at += 1
    return order[:n]


@uncounted
def _total(option):
    return option.base + option.estimate


@uncounted
def _best(options, waiting, first, last):
    """The best of the options that are still waiting; `first` if none is."""
    best = first
    for option in range(first, last):
        if waiting[option]:
            is_better = _total(options[option]) > _total(options[best])
            best = option if is_better or not waiting[best] else best
    return best


@uncounted
def _comes_before(found, option, term):
    """Whether the span of an option is shorter than a term, or as long and further left."""
    difference = (found.end[option] - found.start[option]) - (term.end - term.start)
    return difference < 0 or (difference == 0 and found.start[option] < term.start)


@uncounted
def _is_kept(found, terms, option):
    """Whether an option of the table may stand beside the terms."""
    start, end = found.start[option], found.end[option]
    for number in range(len(terms.terms) - 1):
        term = terms.terms[number]
        if end <= term.start or term.end <= start:
            continue
        if term.mode == IS_EXCLUSIVE:
            return False
        if term.mode == IS_CONSTRAINT:
            is_around = start <= term.start and term.end <= end
            last = terms.terms[number + 1].given
            if not is_around or not _says_one(found, terms, option, term.given, last):
                return False
    return True


@uncounted
def _says_one(found, terms, option, first, last):
    """Whether the words of one of the given translations are among those of an option, one directly
    after the other."""
    if found.entry[option] < 0:
        return False
    row = found.target[found.entry[option]]
    begin, end = found.target_offsets[row], found.target_offsets[row + 1]
    for given in range(first, last):
        wanted, size = terms.offsets[given], terms.offsets[given + 1] - terms.offsets[given]
        for at in range(begin, end - size + 1):
            n_same = 0
            while n_same < size and found.target_words[at + n_same] == terms.words[wanted + n_same]:
                n_same += 1
            if n_same == size:
                return True
    return False


@inner
def _laid_out(every, order):
    """The options in this order, with their spans and words."""
    start, end = every.start[order], every.end[order]
    entry, options = every.entry[order], every.options[order]
    words, n_words = np.empty(len(every.words), WORD), 0
    spans, n_spans = np.zeros(len(order) + 1, SPAN), 0
    length_span = np.zeros(end[-1] - start[-1] + 2, np.int32)
    for n in range(len(order)):
        begin, after = options[n].word_begin, options[n].word_end
        options[n].word_begin = n_words
        for at in range(begin, after):
            words[n_words] = every.words[at]
            n_words += 1
        options[n].word_end = n_words
        if n == 0 or start[n] != start[n - 1] or end[n] != end[n - 1]:
            spans[n_spans].start, spans[n_spans].end, spans[n_spans].option = start[n], end[n], n
            n_spans += 1
            length_span[end[n] - start[n] + 1 :] = n_spans
    spans[n_spans].option = len(order)
    return start, end, entry, spans[: n_spans + 1], length_span, options, words[:n_words]
