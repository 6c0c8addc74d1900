"""Options for terms: translations that the user gave, among or instead of the phrase table's.

A given translation of probability p has log p as its translation score, in equal shares of the four
features, as in Moses. Language model and penalties score it like any other phrase. The distortion
models know nothing of it but its span.
"""

from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoder.options import MOST_OPTIONS, OPTION, SPAN, WORD, OptionWeights, SentenceOptions
from models.arrays import BoolArray, Int32Array, Int64Array, Ragged
from models.data.markup import CONSTRAINT, INCLUSIVE, Term
from models.data.text import split_words
from models.distortion.interface import FIRST_GIVEN, Given, OptionTable
from models.kernels import kernel
from models.language_model.automaton import EMPTY_STATE, advance
from models.language_model.model import LanguageModel
from models.phrases.table import SCORES


def given_score(given: Given) -> float:
    """The value of each of the translation features."""
    return given.log_probability / len(SCORES)


def place_terms(
    terms: Sequence[Term], found: SentenceOptions, lm: LanguageModel, weights: OptionWeights
) -> SentenceOptions:
    """The options of a sentence with those of its terms, and without those that these exclude."""
    table = found.table
    given = [
        Given(tuple(split_words(text)), log(probability))
        for term in terms
        for text, probability in term.translations.items()
    ]
    kept = np.flatnonzero(_kept(table, terms))
    counts = [len(term.translations) for term in terms]
    start = np.append(table.start[kept], np.repeat([term.start for term in terms], counts))
    end = np.append(table.end[kept], np.repeat([term.end for term in terms], counts))
    entry = np.append(table.entry[kept], FIRST_GIVEN - np.arange(len(given)))
    own_options, own_texts = _scored(given, lm, weights)
    options = np.concatenate([found.options[kept], own_options])
    texts = Ragged(found.option_words, found.texts.offsets).take(kept)
    order = np.lexsort((-(options["base"] + options["estimate"]), start, end - start))
    words = Ragged(
        np.concatenate([texts.values, own_texts.values]),
        np.append(texts.offsets, texts.offsets[-1] + own_texts.offsets[1:]),
    ).take(order)
    options = options[order]
    options["word_begin"], options["word_end"] = words.offsets[:-1], words.offsets[1:]
    start, end = start[order].astype(np.int32), end[order].astype(np.int32)
    placed = OptionTable(
        table.n_words, start, end, entry[order], table.phrases, table.drop_unknown, tuple(given)
    )
    return SentenceOptions(placed, *_spans(start, end), options, words.values)


def _kept(table: OptionTable, terms: Sequence[Term]) -> BoolArray:
    """Which options may stand beside the terms' own."""
    kept = np.ones(len(table), np.bool_)
    for term in terms:
        apart = (table.end <= term.start) | (term.end <= table.start)
        around = (table.start <= term.start) & (term.end <= table.end)
        if term.mode == CONSTRAINT:
            kept &= apart | (around & _saying(table, term))
        elif term.mode != INCLUSIVE:
            kept &= apart
        same = kept & around & (table.end - table.start == term.end - term.start)
        kept[np.flatnonzero(same)[MOST_OPTIONS - len(term.translations) :]] = False
    return kept


def _saying(table: OptionTable, term: Term) -> BoolArray:
    """Which options have a translation of the term among their words."""
    words, vocabulary = table.target_words, table.phrases.target_vocabulary
    saying = np.zeros(len(table), np.bool_)
    for text in term.translations:
        wanted = split_words(text)
        if all(word in vocabulary for word in wanted):
            saying |= _containing(words, vocabulary.encode(wanted))
    return saying


def _containing(rows: Ragged, wanted: Int32Array) -> BoolArray:
    """Which rows have the wanted values, one directly after the other."""
    n_places = max(0, len(rows.values) - len(wanted) + 1)
    begins = np.ones(n_places, np.bool_)
    for k, value in enumerate(wanted):
        begins &= rows.values[k : n_places + k] == value
    places = np.flatnonzero(begins)
    row = rows.row_of_value[places]
    containing = np.zeros(len(rows), np.bool_)
    containing[row[places + len(wanted) <= rows.offsets[row + 1]]] = True
    return containing


def _scored(
    given: Sequence[Given], lm: LanguageModel, weights: OptionWeights
) -> tuple[NDArray[Any], Ragged]:
    """Options, and the words of each."""
    lengths = np.array([len(one.words) for one in given])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    ids = lm.vocabulary.encode(word for one in given for word in one.words)
    options, words = _scored_by_words(lm.automaton, ids, offsets, weights.lm)
    translation = weights.translation.sum() * np.array([given_score(one) for one in given])
    options["base"] = translation + weights.phrase_penalty - weights.word_penalty * lengths
    return options, Ragged(words, offsets)


@kernel
def _scored_by_words(lm, ids, offsets, weight):
    """Options and words with all that the language model says of each option by itself."""
    options, words = np.zeros(len(offsets) - 1, OPTION), np.zeros(len(ids), WORD)
    for option in range(len(options)):
        state, total = np.int32(EMPTY_STATE), 0.0
        for at in range(offsets[option], offsets[option + 1]):
            logprob, state = advance(lm, state, ids[at])
            total += weight * logprob
            words[at].word, words[at].state, words[at].tail = ids[at], state, total
        for at in range(offsets[option], offsets[option + 1]):
            words[at].tail = total - words[at].tail
        options[option].estimate, options[option].lm_state = total, state
    return options, words


def _spans(start: Int32Array, end: Int32Array) -> tuple[NDArray[Any], Int32Array]:
    """The spans of options that are sorted by length and start, and the first of each length."""
    changes = np.flatnonzero((np.diff(start) != 0) | (np.diff(end) != 0)) + 1
    first: Int64Array = np.concatenate([[0], changes])
    spans = np.zeros(len(first) + 1, SPAN)
    spans["start"][:-1], spans["end"][:-1] = start[first], end[first]
    spans["option"] = np.append(first, len(start))
    lengths = (end - start)[first]
    length_span = np.searchsorted(lengths, np.arange(int(lengths[-1]) + 2))
    return spans, length_span.astype(np.int32)
