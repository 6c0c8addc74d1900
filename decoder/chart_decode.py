"""Decodes one sentence with hierarchical rules."""

from collections.abc import Mapping, Sequence
from math import inf
from time import perf_counter

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.chart.derivations import Derivations
from hyperbaton.decoder.chart.forest import best_derivations
from hyperbaton.decoder.chart.rules import RuleWeights, empty_memo, enlarged_memo, rule_source
from hyperbaton.decoder.chart.search import STOPPED, ChartLimits, ChartSpace, search_chart
from hyperbaton.decoder.chart.workspace import (
    COUNTERS,
    FULL,
    NO_MEMO,
    ChartCapacity,
    ChartWorkspace,
    make_workspace,
    workspace_bytes,
)
from hyperbaton.decoder.chart_decoded import ChartDecoded, chart_features
from hyperbaton.decoder.decode import (
    MOST_BYTES,
    MOST_TRIED,
    IsStopped,
    SearchSettings,
    Stopped,
    check_options,
    never,
    score_unit,
)
from hyperbaton.decoder.options import UNKNOWN_SCORE
from hyperbaton.decoder.phrase_decoded import ONLY_STACKS
from hyperbaton.decoder.search import UNLIMITED
from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.files.vocabulary import END, SPECIAL, UNKNOWN
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.phrases.entries import SCORES
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.models.system.folder import GLUE


class ChartDecoder:
    """Translates sentences with given weights. Not thread-safe: it reuses its memory."""

    def __init__(
        self,
        table: RuleTable,
        lm: SpeakingModel,
        weights: Mapping[str, float],
        settings: SearchSettings = SearchSettings(),
    ) -> None:
        check_options(settings)
        self.table, self.lm, self.settings = table, lm, settings
        self.feature_names = chart_features(lm)
        self.is_stopped: IsStopped = never  # called repeatedly during the search
        self._speaker = lm.speaker(np.array([weights[name] for name in lm.feature_names]))
        self._weights = RuleWeights(
            np.array([weights[f"translation.{name}"] for name in SCORES]),
            weights["phrase_penalty"],
            weights["word_penalty"],
            self._speaker.weight,
            weights["unknown"] * UNKNOWN_SCORE,
            weights[GLUE],
            self._speaker.falls,
        )
        language = sum(abs(weights[name]) for name in lm.feature_names)
        self._unit = score_unit(float(np.abs(self._weights.translation).sum()) + language)
        self._lm_word = lm.encode(table.target_vocabulary.words)
        self._source = rule_source(table, self._lm_word)
        pops = settings.pop_limit or 1000
        self._capacity = ChartCapacity(1 << 14, 1 << 12, 4 * pops, 1 << (2 * pops).bit_length())
        self._workspace: ChartWorkspace | None = None
        self._forget()

    def _forget(self) -> None:
        """Clears everything that depends on states of the language model."""
        self._is_wrong, self._workspace = False, None
        self._memo = empty_memo(
            len(self.table.trie_word),
            self.settings.options,
            self._speaker,
            self._weights,
            drop_unknown=self.settings.drop_unknown,
        )

    def decode(
        self, sentence: Sentence, n_best: int = 1, *, distinct: bool = False
    ) -> ChartDecoded:
        """The best derivations of a sentence; `distinct`: only the best of each translation."""
        began = perf_counter()
        _check_markup(sentence)
        if self._speaker.forgets() or self._is_wrong:
            self._forget()
        if not len(sentence):
            none = np.empty(0, np.int32)
            empty = Derivations(none.astype(np.int64), none, none, none, np.zeros(2, np.int64))
            return self._decoded(sentence, empty, np.zeros(1))
        seconds = self.settings.time_limit if self.settings.time_limit > 0 else inf
        workspace, cell = self._search(sentence, began + seconds)
        goal = int(workspace.members[workspace.cells["begin"][cell]])
        size = n_best
        while True:
            decoded = self._decoded(sentence, *best_derivations(workspace, goal, size))
            if not distinct or n_best == 1:
                break
            first = decoded.first_of_each_translation()
            if len(first) >= n_best or len(decoded) < size or size > MOST_TRIED * n_best:
                decoded = decoded.take(first[:n_best])
                break
            size *= 4
        statistics = _statistics(workspace, len(sentence), perf_counter() - began)
        return self._decoded(sentence, decoded.derivations, decoded.scores, statistics)

    def _decoded(
        self,
        sentence: Sentence,
        derivations: Derivations,
        scores: FloatArray,
        statistics: SearchStatistics = SearchStatistics(sentences=1),
    ) -> ChartDecoded:
        drop_unknown = self.settings.drop_unknown
        return ChartDecoded(
            sentence, derivations, scores, self.table, self.lm, self._lm_word, drop_unknown,
            statistics,
        )  # fmt: skip

    def _search(self, sentence: Sentence, deadline: float) -> tuple[ChartWorkspace, int]:
        """Searches, with larger arrays until they suffice; returns the cell of the result."""
        words = self.table.source_vocabulary.encode(sentence.words)
        words[words < len(SPECIAL)] = UNKNOWN  # gaps have ids of symbols that no text has
        settings, n_words = self.settings, len(words)
        limits = ChartLimits(
            settings.pop_limit or UNLIMITED,
            settings.stack_size or UNLIMITED,
            settings.beam or inf,
        )
        while True:
            space = ChartSpace(
                words, min(settings.chart_span or n_words, n_words), self._source, self._memo,
                self._weights, self._speaker.weight, self._speaker.begin_state, END, self._unit,
            )  # fmt: skip
            workspace = self._room(n_words, space.longest)
            result = search_chart(
                space, self._speaker.lm, workspace, limits, self.is_stopped, deadline
            )
            try:
                self._speaker.check()
            except BaseException:
                self._is_wrong = True
                raise
            if self._speaker.has_grown():
                self._forget()
            elif result == STOPPED:
                raise Stopped
            elif result == NO_MEMO:
                self._memo = enlarged_memo(self._memo)
            elif result > FULL:
                return workspace, result
            else:
                self._enlarge(result, n_words)

    def _enlarge(self, result: int, n_words: int) -> None:
        self._capacity, self._workspace = self._capacity.enlarged(result), None
        if workspace_bytes(self._capacity, max(self.lm.order - 1, 1)) > MOST_BYTES:
            self._capacity = self._capacity._replace(items=1 << 14)
            raise DataError(
                f"a sentence of {n_words} words needs too much memory",
                advice="split it, or lower search.pop_limit or search.chart_span",
            )

    def _room(self, n_words: int, longest: int) -> ChartWorkspace:
        """A workspace for a sentence; reuses the last one if it is large enough."""
        have = self._workspace
        n_cells = n_words * (longest + 1) + n_words + 1
        if have is None or len(have.cells) < n_cells or len(have.heads) <= longest:
            n_left = max(self.lm.order - 1, 1)
            rooms = max(n_words, 40), max(longest, 20)
            have = self._workspace = make_workspace(*rooms, n_left, self._capacity)
        return have


def check_chart(settings: SearchSettings, distortion: Sequence[DistortionModel]) -> None:
    """Raises for what has no meaning in a chart search."""
    if distortion:
        raise SettingError(
            f"the distortion model {distortion[0].name} has no meaning for hierarchical rules",
            expected=ONLY_STACKS,
        )
    if settings.lattice:
        raise SettingError("the chart search has no lattice", expected=ONLY_STACKS)


def _check_markup(sentence: Sentence) -> None:
    for what in ("terms", "zones", "walls"):
        if getattr(sentence.markup, what):
            raise DataError(
                f"hierarchical rules cannot keep to {what} of the markup",
                expected=ONLY_STACKS,
                advice="remove the tags, or use --markup ignore",
            )


def _statistics(workspace: ChartWorkspace, n_words: int, seconds: float) -> SearchStatistics:
    count = dict(zip(COUNTERS, workspace.counters.tolist(), strict=True))
    return SearchStatistics(
        1, n_words, count["matches"], count["cells"], count["cells"], count["matches"],
        count["opened"], count["steps"], count["arcs"], count["arcs"] - count["items"],
        count["items"], count["pruned"], count["lm_words"], count["largest"], count["narrowed"],
        seconds,
    )  # fmt: skip
