"""The model's word on the steps of one sentence."""

import numpy as np

from models.arrays import Int32Array, Int64Array
from models.distortion.interface import FloatArray, OptionTable, SentenceScorer, Steps
from models.parse_reordering.events import padded
from models.parse_reordering.sentence_tables import make_places, make_units
from models.parse_reordering.step_scores import (
    N_FEATURES,
    Recent,
    first_state,
    make_memory,
    make_recent,
    next_states,
    score_steps,
)
from models.parse_reordering.templates import G_CELL, HISTORY, N_JUMPS
from models.parse_reordering.training import Learned

ROOM = 1 << 8  # distributions that a sentence has room for at first


class ParseScorer(SentenceScorer):
    """State: end of the last visited source word, and the last two target words if asked for."""

    n_features = N_FEATURES

    def __init__(
        self,
        learned: Learned,
        families: int,
        levels: int,
        words: Int32Array,
        tags: Int32Array,
        tree: Int32Array,
        options: OptionTable,
        target_ids: Int32Array,  # own ids of the phrase table's target words
    ) -> None:
        self._arrays = learned.inventory, learned.features, learned.weights
        self._families = families
        self._n_cells = G_CELL + len(learned.target_tags) * N_JUMPS
        targets = options.target_words
        self._target_words = np.where(
            targets.values >= 0, target_ids[np.maximum(targets.values, 0)], -1
        ).astype(np.int32)
        self._target_offsets = targets.offsets
        self._starts = options.start
        words, tags = padded(words), padded(tags)
        self._units, place_of, n_places, self._n_shapes = make_units(
            learned.inventory, learned.features, families, words, options.start, options.end,
            options.inner, self._target_words, self._target_offsets, options.n_words,
        )  # fmt: skip
        self._places = make_places(
            learned.inventory, learned.prior, learned.features, learned.weights, families, levels,
            self._n_cells, words, tags, tree, place_of, n_places,
        )  # fmt: skip
        last_unit = self._units.begin[1:] - 1
        self._last_end = self._places.end[self._units.place[last_unit]].astype(np.int64)
        self._memory = make_memory(ROOM)
        self._recent = self._nothing_recent()

    @property
    def initial_state(self) -> int:  # type: ignore[override]
        return first_state(history=bool(self._families & HISTORY))

    def features(self, steps: Steps) -> FloatArray:
        result = np.empty((len(steps.option), N_FEATURES))
        done = 0
        while True:
            done = score_steps(
                self._arrays, self._units, self._places, self._memory, self._recent,
                self._n_cells, bool(self._families & HISTORY), steps.option, steps.coverage,
                steps.state, done, result,
            )  # fmt: skip
            if done == len(result):
                return result
            self._memory = make_memory(2 * len(self._memory.jumps))
            self._recent = self._nothing_recent()

    def option_estimate(self, n_options: int) -> FloatArray:
        """The option's value if all words before it, and none behind it, are translated, and the
        last one stands directly before its first unit."""
        n_words = self._places.masks.shape[2] * 64
        places = np.arange(n_words)
        before = places < self._starts[:, None]  # (N, places)
        coverage = np.packbits(before, axis=1, bitorder="little").view(np.uint64)
        first = self._units.place[self._units.begin[:-1]]
        state = self.initial_state | self._places.start[first].astype(np.int64)
        every = np.arange(n_options, dtype=np.int32)
        return self.features(Steps(every, every, coverage, state))

    def _nothing_recent(self) -> Recent:
        units, places = self._units, self._places
        n_coverage = places.masks.shape[2]
        return make_recent(self._n_shapes, len(units.place), len(places.start), n_coverage)

    def advance(self, steps: Steps) -> Int64Array:
        states: Int64Array = next_states(
            self._target_words, self._target_offsets, self._last_end,
            bool(self._families & HISTORY), steps.option, steps.state,
        )  # fmt: skip
        return states
