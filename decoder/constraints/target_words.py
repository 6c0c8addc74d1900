"""Constraints on the translation: equal to given words, beginning with them, or nearest to them."""

from collections.abc import Sequence

import numpy as np

from hyperbaton.decoder.constraints.price import FORBIDDEN, UNWANTED
from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.models.distortion.interface import COPIED, OptionTable, SentenceScorer, Steps

OTHER = -1  # a word that is not among the required ones
DEAD = -1  # state of a hypothesis that differs from the required words


def parts_of(phrases: Ragged, required: Int32Array, *, goes_on: bool) -> BoolArray:
    """Whether each phrase occurs in the required words; `goes_on`: or begins there and extends past
    their end."""
    first, lengths = phrases.values[phrases.offsets[:-1]], phrases.lengths
    occurs = np.zeros(len(phrases), bool)
    for place in range(len(required)):
        rest = required[place:]
        rows = np.flatnonzero((first == rest[0]) & (lengths <= len(rest) if not goes_on else True))
        for k in range(1, len(rest)):
            at = phrases.offsets[rows] + np.minimum(k, lengths[rows] - 1)
            rows = rows[(lengths[rows] <= k) | (phrases.values[at] == rest[k])]
            if lengths[rows].max(initial=0) <= k + 1:
                break
        occurs[rows] = True
    return occurs


def required_numbers(
    options: OptionTable, source: Sequence[str], required: Sequence[str]
) -> tuple[Ragged, Int32Array]:
    """The words of each option and the required words, as numbers of distinct required words."""
    number = {word: n for n, word in enumerate(dict.fromkeys(required))}
    vocabulary, words = options.phrases.target_vocabulary, options.target_words
    of_id = np.full(len(vocabulary), OTHER, np.int32)
    for word, n in number.items():
        if word in vocabulary:
            of_id[vocabulary.encode([word])[0]] = n
    values = of_id[words.values]  # corrected below for words without an id
    copied = np.unique(words.row_of_value[words.values == COPIED])
    for option in copied.tolist():
        said: Sequence[str] = source[options.start[option] :][:1]
        if not options.is_unknown[option]:
            said = options.given_at(option).words
        values[words.offsets[option] : words.offsets[option + 1]] = [
            number.get(word, OTHER) for word in said
        ]
    return Ragged(values, words.offsets), np.array([number[word] for word in required], np.int32)


class BeginsWith(SentenceScorer):
    """The state is the number of required words produced so far."""

    n_features = 1

    def __init__(
        self, words: Ragged, required: Int32Array, possible: BoolArray, *, exact: bool
    ) -> None:
        """`words` of each option; `exact`: no words may follow the required ones."""
        n, lengths = len(required), words.lengths[:, None]
        place = np.arange(n + 1)[None, :]  # (1, n + 1) words produced before
        fits = np.repeat(possible[:, None], n + 1, axis=1)
        padded = np.append(required, OTHER)
        for k in range(int(words.lengths.max(initial=0))):
            has = words.lengths > k
            word = np.full(len(words), OTHER, np.int32)
            word[has] = words.values[words.offsets[:-1][has] + k]
            wanted = padded[np.minimum(place + k, n)]
            is_right = (word[:, None] == wanted) & (wanted != OTHER)
            fits &= ~has[:, None] | is_right | (place + k >= n if not exact else False)
        self._after = np.where(fits, np.minimum(place + lengths, n), DEAD)
        self._end = n

    def useful(self) -> BoolArray:
        """Options that can be part of the required words, if each may be used at any time and
        repeatedly."""
        can_begin, can_end = (np.zeros(self._end + 1, bool) for _ in range(2))
        can_begin[0] = can_end[self._end] = True
        fits = self._after != DEAD
        for place in range(self._end):
            if can_begin[place]:
                can_begin[self._after[fits[:, place], place]] = True
        for place in range(self._end - 1, -1, -1):
            can_end[place] |= can_end[self._after[fits[:, place], place]].any()
        useful: BoolArray = (fits & can_begin & can_end[self._after]).any(axis=1)
        return useful

    def features(self, steps: Steps) -> FloatArray:
        falls = (self.advance(steps) == DEAD) & (steps.state != DEAD)
        return np.where(falls, -FORBIDDEN, 0.0)[:, None]

    def advance(self, steps: Steps) -> Int64Array:
        after = self._after[steps.option, steps.state]
        return np.where(steps.state == DEAD, DEAD, after)

    def finish(self, state: Int64Array) -> FloatArray:
        return np.where((state == self._end) | (state == DEAD), 0.0, -FORBIDDEN)[:, None]


class Nearest(SentenceScorer):
    """Prefers translations with few additional and few missing words.

    Both numbers follow from the longest common subsequence with the required words. The state is
    its row of bits over the required words (Hyyrö 2004): bit i is 0 if the i-th word extends it.
    """

    n_features = 1

    def __init__(self, words: Ragged, required: Int32Array) -> None:
        self._words, self._all = words, (1 << len(required)) - 1
        places = dict.fromkeys(required.tolist(), 0)
        for place, word in enumerate(required.tolist()):
            places[word] |= 1 << place
        self._places = places
        self._rows, self._number = [self._all], {self._all: 0}
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def features(self, steps: Steps) -> FloatArray:
        gains = np.array([gain for _, gain in self._taken(steps)], np.float64)
        return UNWANTED * (2.0 * gains - self._words.lengths[steps.option])[:, None]

    def advance(self, steps: Steps) -> Int64Array:
        return np.array([state for state, _ in self._taken(steps)], np.int64)

    def _taken(self, steps: Steps) -> list[tuple[int, int]]:
        """State and growth of the common subsequence after each step."""
        pairs = zip(steps.option.tolist(), steps.state.tolist(), strict=True)
        return [self._known.get(pair) or self._take(*pair) for pair in pairs]

    def _take(self, option: int, state: int) -> tuple[int, int]:
        before = row = self._rows[state]
        for word in self._words[option].tolist():
            matches = row & self._places.get(word, 0)
            row = ((row + matches) | (row - matches)) & self._all
        number = self._number.setdefault(row, len(self._rows))
        if number == len(self._rows):
            self._rows.append(row)
        result = number, before.bit_count() - row.bit_count()
        self._known[option, state] = result
        return result
