"""Options for terms: translations given by the user, in addition to or instead of the phrase table.

A given translation of probability p has the translation score log p, in equal shares of the four
features, as in Moses. Language model and penalties score it like any other phrase. The distortion
models see only its span.
"""

from collections.abc import Callable, Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.sentences.markup import CONSTRAINT, EXCLUSIVE, Term
from hyperbaton.corpus.text import split_words
from hyperbaton.decoder.options import EARLY_GAIN, OPTION, SPAN, WORD, SentenceOptions
from hyperbaton.decoder.ranking.entry_memo import EntryWeights
from hyperbaton.foundation.arrays import BoolArray, Int32Array, Ragged
from hyperbaton.models.distortion.interface import FIRST_GIVEN, Given, OptionTable
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.speaking import Speaker
from hyperbaton.models.language_model.stepping import step
from hyperbaton.models.phrases.entries import SCORES


def given_score(given: Given) -> float:
    """The value of each of the translation features."""
    return given.log_probability / len(SCORES)


def place_terms(
    terms: Sequence[Term],
    found: SentenceOptions,
    encode: Callable[[Sequence[str]], Int32Array],
    speaker: Speaker,
    weights: EntryWeights,
) -> SentenceOptions:
    """Adds the options of terms to those of a sentence, and removes options that terms exclude."""
    table, kept = found.table, _kept(terms, found.table)
    spans, given = [], []
    for term in terms:
        for text, probability in term.translations.items():
            spans.append((term.start, term.end))
            given.append(Given(tuple(split_words(text)), log(probability)))
    encoded = [encode(translation.words) for translation in given]
    options, words = _scored(given, encoded, speaker, weights, len(found.option_words))
    while speaker.has_grown():
        options, words = _scored(given, encoded, speaker, weights, len(found.option_words))
    given_start, given_end = np.array(spans, np.int32).T
    start = np.concatenate([table.start[kept], given_start])
    end = np.concatenate([table.end[kept], given_end])
    entry = np.concatenate([table.entry[kept], FIRST_GIVEN - np.arange(len(given))])
    every = np.concatenate([found.options[kept], options])
    total = every["base"] + every["estimate"]
    order = np.lexsort((-total, start, end - start))  # stable: among equals, the table's are first
    start, end, every = start[order], end[order], every[order]
    begin = every["word_begin"].astype(np.int64)
    every_word = np.concatenate([found.option_words, words])
    placed_words = Ragged.gather(every_word, begin, every["word_end"] - begin)
    every["word_begin"], every["word_end"] = placed_words.offsets[:-1], placed_words.offsets[1:]
    placed = OptionTable(
        table.n_words, start, end, entry[order], table.phrases, table.drop_unknown, tuple(given)
    )
    return SentenceOptions(placed, *_spans(start, end, placed.n_words), every, placed_words.values)


def _scored(
    given: Sequence[Given],
    encoded: Sequence[Int32Array],
    speaker: Speaker,
    weights: EntryWeights,
    first_word: int,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """OPTION and WORD records of given translations, with scores without context. Their words are
    numbered from `first_word`."""
    options = np.zeros(len(given), OPTION)
    words = np.zeros(sum(len(translation.words) for translation in given), WORD)
    end = 0
    for option, translation, numbers in zip(options, given, encoded, strict=True):
        begin, end = end, end + len(translation.words)
        gain = weights.lm * EARLY_GAIN * speaker.gains(numbers[:1]).sum()
        state, total, before = EMPTY_STATE, 0.0, []
        for at, word in enumerate(numbers.tolist(), begin):
            logprob, state = step(speaker.lm, state, word)
            total += weights.lm * logprob
            words[at]["word"], words[at]["state"] = word, state
            before.append(total)
        words["tail"][begin:end] = total - np.array(before)
        option["word_begin"], option["word_end"] = first_word + begin, first_word + end
        option["base"] = weights.phrase_penalty - weights.word_penalty * (end - begin)
        option["base"] += weights.translation.sum() * given_score(translation)
        option["estimate"], option["lm_state"] = total + gain, state
    return options, words


def _kept(terms: Sequence[Term], table: OptionTable) -> BoolArray:
    """The options of the table that the terms allow."""
    kept = np.ones(len(table), np.bool_)
    for term in terms:
        overlaps = (table.start < term.end) & (term.start < table.end)
        if term.mode == EXCLUSIVE:
            kept &= ~overlaps
        elif term.mode == CONSTRAINT:
            is_around = (table.start <= term.start) & (term.end <= table.end)
            for option in np.flatnonzero(kept & overlaps).tolist():
                kept[option] = is_around[option] and _says(term, table, option)
    return kept


def _says(term: Term, table: OptionTable, option: int) -> bool:
    """Whether an option contains one of a term's translations as consecutive words."""
    entry, phrases = table.entry[option], table.phrases
    if entry < 0:
        return False
    ids = phrases.target_sides[phrases.target[entry]]
    words = phrases.target_vocabulary.decode(ids.tolist())
    wanted = [split_words(text) for text in term.translations]
    return any(
        words[at : at + len(phrase)] == phrase for phrase in wanted for at in range(len(words) + 1)
    )


def _spans(start: Int32Array, end: Int32Array, n_words: int) -> tuple[NDArray[Any], Int32Array]:
    """The spans of options sorted by length and start, and `first_span` of `SentenceOptions`."""
    lengths = end - start
    changes = (np.diff(lengths) != 0) | (np.diff(start) != 0)
    first = np.concatenate([[0], np.flatnonzero(changes) + 1])
    spans = np.zeros(len(first) + 1, SPAN)
    spans["start"][:-1], spans["end"][:-1] = start[first], end[first]
    spans["option"] = np.append(first, len(start))
    longest = lengths[-1]
    keys = lengths[first] * (n_words + 1) + start[first]
    wanted = np.arange((longest + 1) * (n_words + 1))
    first_span = np.searchsorted(keys, wanted).astype(np.int32)
    return spans, first_span.reshape(longest + 1, n_words + 1)
