"""The model's scores for the steps of one sentence."""

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, read_only
from hyperbaton.foundation.coverage import pack_coverage
from hyperbaton.models.distortion.interface import OptionTable, SentenceScorer, Steps
from hyperbaton.models.distortion.parse.events import padded
from hyperbaton.models.distortion.parse.fitting import Learned, ParseSettings
from hyperbaton.models.distortion.parse.path import UNALIGNED
from hyperbaton.models.distortion.parse.sentence_tables import Translations, make_places, make_units
from hyperbaton.models.distortion.parse.step_scores import (
    FIRST_STATE,
    N_FEATURES,
    GroupWeights,
    History,
    make_memory,
    make_recent,
    next_states,
    score_steps,
)
from hyperbaton.models.distortion.parse.templates import G_COLUMN, HISTORY, N_JUMPS, parse_use

ROOM = 1 << 9  # initial capacity for distributions of a sentence; most need a quarter


class ParseScorer(SentenceScorer):
    """The state is the end of the last visited source word and, with `history`, the last two target
    words."""

    n_features = N_FEATURES

    def __init__(
        self,
        learned: Learned,
        settings: ParseSettings,
        words: Int32Array,
        tags: Int32Array,
        tree: Int32Array,
        options: OptionTable,
        translations: Translations,
    ) -> None:
        families, _ = parse_use(settings.use)
        features = learned.features
        begin, column = read_only(features.begin), read_only(features.column)
        self._weights = GroupWeights(begin, column, read_only(learned.weights))
        self._n_columns = G_COLUMN + len(learned.target_tags) * N_JUMPS
        self._starts = options.start
        words, tags = padded(words), padded(tags)
        self._units, own_groups, place_of, n_places, self._n_shapes = make_units(
            learned.inventory, features, families, UNALIGNED.index(settings.unaligned), words,
            options.start, options.end, options.inner, translations, options.drop_unknown,
            options.n_words,
        )  # fmt: skip
        self._places = make_places(
            learned.inventory, learned.prior, features, learned.weights, families, settings.levels,
            self._n_columns, words, tags, tree, place_of, n_places,
        )  # fmt: skip
        last_unit = self._units.begin[1:] - 1
        last_place = self._units.units["place"][last_unit]
        self._last_end = self._places.record["end"][last_place].astype(np.int64)
        self._history: History | None = None
        if families & HISTORY:
            self.initial_state = FIRST_STATE
            of_table, ids = options.target_words, translations.own_id
            words = np.where(of_table.values >= 0, ids[np.maximum(of_table.values, 0)], -1)
            self._target_words, self._target_offsets = words.astype(np.int32), of_table.offsets
            asked, groups = np.full(n_places, -1, np.int64), np.empty((n_places, 3), np.int32)
            self._history = History(features, own_groups, asked, groups)
        self._make_room(ROOM)

    def features(self, steps: Steps) -> FloatArray:
        result = np.empty((len(steps.option), N_FEATURES))
        done = 0
        while done < len(result):
            done = score_steps(
                self._weights, self._units, self._places, self._memory, self._recent,
                self._history, self._n_columns, steps.option, steps.coverage, steps.state, done,
                result,
            )  # fmt: skip
            if done < len(result):
                self._make_room(2 * self._room)
        return result

    def option_estimate(self, n_options: int) -> FloatArray:
        """The option's values if all words before it and none after it are covered, and the last
        one is directly before its first unit."""
        places = np.arange(64 * self._places.masks.shape[2])
        coverage = pack_coverage(places < self._starts[:, None])
        first = self._units.units["place"][self._units.begin[:-1]]
        state = self.initial_state | self._places.record["start"][first].astype(np.int64)
        every = np.arange(n_options, dtype=np.int32)
        return self.features(Steps(every, every, coverage, state))

    def advance(self, steps: Steps) -> Int64Array:
        states: Int64Array = self._last_end[steps.option]
        if self._history:
            states = next_states(
                self._target_words, self._target_offsets, self._last_end, steps.option, steps.state
            )
        return states

    def _make_room(self, room: int) -> None:
        """Sets the capacity for distributions; clears the computed ones."""
        self._room = room
        self._memory = make_memory(room)
        n_coverage = self._places.masks.shape[2]
        self._recent = make_recent(self._n_shapes, len(self._units.units), n_coverage)
