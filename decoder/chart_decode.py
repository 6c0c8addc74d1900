"""Decodes one sentence with hierarchical rules."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from time import perf_counter

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.chart.derivations import Derivations, best_of
from hyperbaton.decoder.chart.rules import add_chain_rules
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
    BaseDecoder,
    SearchSettings,
    Stopped,
    distinct_best,
    for_search,
)
from hyperbaton.decoder.phrase_decoded import ONLY_STACKS
from hyperbaton.decoder.ranking.entry_memo import empty_memo, enlarged_memo, entry_source
from hyperbaton.decoder.search import UNLIMITED
from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.files.vocabulary import END, SPECIAL, UNKNOWN
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.models.system.folder import CHART

# Share of the gain of words (`Speaker.gains`) that is expected where the word before is unknown
GAIN = 0.75
# Distance below the expected score at which neighbours are evaluated, in units, with and without
# gains; less costs time, more finds less
PATIENCE, PATIENCE_ALONE = 1.5, 0.5
FIRST_ITEMS = 1 << 18  # of 20 words at 1000 pops; memory that is not used takes none


class ChartDecoder(BaseDecoder):
    """Translates sentences with given weights. Not thread-safe: it reuses its memory."""

    def __init__(
        self,
        table: RuleTable,
        lm: SpeakingModel,
        weights: Mapping[str, float],
        settings: SearchSettings = SearchSettings(),
    ) -> None:
        super().__init__(table, lm, weights, for_search(settings, CHART))
        self.table = table
        self.feature_names = chart_features(lm)
        words = np.arange(self._lm_word.max(initial=UNKNOWN) + 1, dtype=np.int32)
        gain = GAIN * self._speaker.gains(words)
        self._gain = self._weights.lm * gain
        self._patience = self._unit * (PATIENCE if gain.any() else PATIENCE_ALONE)
        self._source = entry_source(table, self._lm_word, self._speaker, gain[self._lm_word])
        pops = self.settings.pop_limit or 1000
        self._capacity = ChartCapacity(
            FIRST_ITEMS, 1 << 12, max(4 * pops, 1 << 15), 1 << (2 * pops).bit_length()
        )
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
        add_chain_rules(self._memo, self._weights.glue)

    def decode(
        self, sentence: Sentence, n_best: int = 1, *, distinct: bool = False
    ) -> ChartDecoded:
        """The best derivations of a sentence; `distinct`: only the best of each translation."""
        began, deadline = perf_counter(), self._deadline()
        _check_markup(sentence)
        if self._speaker.forgets() or self._is_wrong:
            self._forget()
        if not len(sentence):
            none = np.empty(0, np.int32)
            empty = Derivations(none.astype(np.int64), none, none, none, np.zeros(2, np.int64))
            return self._decoded(sentence, empty, np.zeros(1))
        workspace, cell = self._search(sentence, deadline)
        goal = int(workspace.members[workspace.cells["begin"][cell]])

        def listed(size: int) -> ChartDecoded:
            return self._decoded(sentence, *best_of(workspace, goal, size))

        is_distinct = distinct and n_best > 1
        decoded = distinct_best(listed, n_best) if is_distinct else listed(n_best)
        statistics = _statistics(workspace, len(sentence), perf_counter() - began)
        return replace(decoded, statistics=statistics)

    def _decoded(
        self, sentence: Sentence, derivations: Derivations, scores: FloatArray
    ) -> ChartDecoded:
        given = sentence, derivations, scores, self.table, self.lm, self._lm_word
        return ChartDecoded(*given, self.settings.drop_unknown)

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
                self._weights, self._gain, self._speaker.begin_state, END, self._unit,
                self._patience,
            )  # fmt: skip
            workspace = self._room(n_words, space.longest)
            result = search_chart(
                space, self._speaker.lm, workspace, limits, self.is_stopped, deadline
            )
            self._check_answers()
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
            self._capacity = self._capacity._replace(items=FIRST_ITEMS)
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
