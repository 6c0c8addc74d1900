"""Decodes one sentence: options, distortion tables, search, best derivations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log2
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias, TypeVar

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.constraints.price import FORBIDDEN
from hyperbaton.decoder.constraints.zones import zones_of
from hyperbaton.decoder.coverage_models import CoverageModels
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.edges import distance_limit
from hyperbaton.decoder.features import dense_features
from hyperbaton.decoder.lattice import make_lattice
from hyperbaton.decoder.lazy_models import NoAutomaton
from hyperbaton.decoder.options import MOST_OPTIONS, OptionFinder, SentenceOptions
from hyperbaton.decoder.phrase_decoded import PhraseDecoded
from hyperbaton.decoder.ranking.entry_memo import EntryWeights
from hyperbaton.decoder.ranking.nbest import NONE, Forest, best_derivations
from hyperbaton.decoder.search import STOPPED, UNLIMITED, SearchLimits, search
from hyperbaton.decoder.search_space import (
    N_ROWS,
    SearchSpace,
    best_futures,
    jump_estimates,
    weigh_tables,
)
from hyperbaton.decoder.statistics import SearchRecord
from hyperbaton.decoder.terms import place_terms
from hyperbaton.decoder.workspace import (
    ARCS,
    FULL,
    HYPOTHESES,
    NARROWED,
    NO_TRANSLATION,
    Capacity,
    Workspace,
    make_workspace,
    workspace_bytes,
)
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Ragged
from hyperbaton.foundation.coverage import coverage_size
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.files.vocabulary import END
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import uncounted_kernel
from hyperbaton.models.distortion.interface import DistortionModel, OptionTable, SentenceScorer
from hyperbaton.models.distortion.tables import TableScorer
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.phrases.entries import SCORES, EntryTable
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.system.folder import CHART, GLUE, STACK, read_system

MOST_TRIED = 100  # derivations for each wanted distinct translation
USUAL_WEIGHTS = 1.3  # sum of the default weights of translation features and language model
POP_LIMITS = {STACK: 200, CHART: 600}
MOST_BYTES = 4 << 30  # limit of a workspace; a sentence that needs more is an error


@dataclass(frozen=True)
class SearchSettings:
    """Settings of the search (`--set search.KEY=VALUE`)."""

    # steps taken in each stack or cell of a chart, best first; 0: all, which makes the search
    # exhaustive; −1: 200 in stacks, 600 in cells
    pop_limit: int = -1
    stack_size: int = 200  # hypotheses kept in each stack; 0: all
    # drop hypotheses whose score is this much below the best of their stack; 0: none
    beam: float = 0.0
    distortion_limit: int = 6  # longest jump in source words; −1: any
    options: int = 20  # translations considered for each source phrase
    drop_unknown: bool = False  # omit unknown words instead of copying them
    chart_span: int = 20  # most words that a hierarchical rule may cover; 0: all
    max_length: int = 250  # cut longer sentences into pieces of this many words; 0: never
    lattice: bool = False  # keep the search lattice of each sentence
    time_limit: float = 0.0  # seconds per sentence; afterwards the beam narrows. 0: no limit


def search_settings(directory: Path) -> SearchSettings:
    """The defaults for a system, with its distortion limit."""
    return SearchSettings(distortion_limit=read_system(directory)["search"]["distortion_limit"])


def for_search(settings: SearchSettings, kind: str) -> SearchSettings:
    """Settings with the default pop limit of a kind of search, unless they have another."""
    is_default = settings.pop_limit < 0
    return replace(settings, pop_limit=POP_LIMITS[kind]) if is_default else settings


# Makes a scorer from the options of a sentence; its only feature is added to the score
MakeConstraint: TypeAlias = Callable[[OptionTable], SentenceScorer]
IsStopped: TypeAlias = Callable[[], bool]
AnyDecoded = TypeVar("AnyDecoded", bound=Decoded)


class NotFound(DataError):
    """No translation within the limits of the search."""


def never() -> bool:
    return False


class Stopped(Exception):
    """The caller cancelled the search."""


class BaseDecoder:
    """A table and a language model with weights, for either search. Not thread-safe."""

    def __init__(
        self,
        table: EntryTable,
        lm: SpeakingModel,
        weights: Mapping[str, float],
        settings: SearchSettings,
    ) -> None:
        if not 1 <= settings.options <= MOST_OPTIONS:
            raise SettingError(
                f"search.options is {settings.options}", expected=f"expected 1 to {MOST_OPTIONS}"
            )
        self.lm, self.weights, self.settings = lm, dict(weights), settings
        self.is_stopped: IsStopped = never  # called repeatedly during the search
        self._speaker = lm.speaker(np.array([weights[name] for name in lm.feature_names]))
        self._weights = EntryWeights(
            np.array([weights[f"translation.{name}"] for name in SCORES]),
            weights["phrase_penalty"],
            weights["word_penalty"],
            self._speaker.weight,
            weights["unknown"],
            weights.get(GLUE, 0.0),
        )
        language = sum(abs(weights[name]) for name in lm.feature_names)
        self._unit = score_unit(float(np.abs(self._weights.translation).sum()) + language)
        self._lm_word = lm.encode_all(table.target_vocabulary)
        self._is_wrong = False  # whether cached language model states are invalid

    def _deadline(self) -> float:
        limit = self.settings.time_limit
        return perf_counter() + (limit if limit > 0 else inf)

    def _check_answers(self) -> None:
        """Raises an error that occurred in the language model."""
        try:
            self._speaker.check()
        except BaseException:
            self._is_wrong = True
            raise


class Decoder(BaseDecoder):
    """Translates sentences with given weights. Not thread-safe: it reuses its memory."""

    def __init__(
        self,
        phrases: PhraseTable,
        lm: SpeakingModel,
        distortion: Sequence[DistortionModel],
        weights: Mapping[str, float],
        settings: SearchSettings = SearchSettings(),
    ) -> None:
        super().__init__(phrases, lm, weights, for_search(settings, STACK))
        self.phrases, self.distortion = phrases, tuple(distortion)
        self._distortion_weights = [
            np.array([weights[name] for name in model.feature_names]) for model in distortion
        ]
        self._finder = OptionFinder(
            phrases,
            self._lm_word,
            self._speaker,
            self._weights,
            settings.options,
            drop_unknown=settings.drop_unknown,
        )
        distortion_names = (name for model in distortion for name in model.feature_names)
        self.feature_names: tuple[str, ...] = (*dense_features(lm), *distortion_names)
        self._workspace: Workspace | None = None
        self._capacity = _first_capacity(self.settings)

    def options(self, sentence: Sentence) -> SentenceOptions:
        if self._speaker.forgets() or self._is_wrong:
            # cached language model states are invalid
            self._is_wrong, self._workspace = False, None
            self._finder.forget()
        options = self._finder.find(self.phrases.source_vocabulary.encode(sentence.words))
        self._check_answers()
        terms, how = sentence.markup.terms, (self.lm.encode, self._speaker, self._weights)
        return place_terms(terms, options, *how) if terms else options

    def decode(
        self,
        sentence: Sentence,
        n_best: int = 1,
        *,
        distinct: bool = False,
        constraint: MakeConstraint | None = None,
    ) -> PhraseDecoded:
        """The best derivations of a sentence; `distinct`: only the best of each translation.

        A `constraint`, made from the options, affects only the search.
        """
        began, deadline = perf_counter(), self._deadline()
        options = self.options(sentence)
        if not len(sentence):
            nothing = Ragged(np.empty(0, np.int32), np.zeros(2, np.int64))
            return PhraseDecoded(
                sentence, options, (), nothing, np.zeros(1), self.lm, self.feature_names
            )
        scorers = tuple(model.prepare(sentence, options.table) for model in self.distortion)
        keep_arcs = n_best > 1 or self.settings.lattice
        weighted = list(zip(scorers, self._distortion_weights, strict=True))
        if constraint is not None:
            weighted.append((constraint(options.table), np.ones(1)))
        zones = zones_of(sentence.markup, len(sentence))
        space, models = self._space(options, weighted, zones)
        limits = self._limits(len(sentence), keep_arcs=keep_arcs, is_free=constraint is None)
        best, workspace = self._best(space, limits, models, deadline)
        if n_best == 1:
            room = np.empty(len(sentence), np.int32)
            path = room[_fill_path(workspace.hypotheses, best, room) :]
            chosen = Ragged(path, np.array([0, len(path)]))
            scores = workspace.hypotheses["score"][[best]]
        else:
            chosen, scores = _best_of(workspace, len(sentence), n_best)
        decoded = PhraseDecoded(
            sentence,
            options,
            scorers,
            chosen,
            scores,
            self.lm,
            self.feature_names,
            SearchRecord(
                workspace.counters.copy(),
                workspace.stacks[: len(sentence) + 1].copy(),
                perf_counter() - began,
            ),
            make_lattice(workspace, len(sentence)) if self.settings.lattice else None,
        )
        if not distinct or n_best == 1:
            return decoded

        def listed(size: int) -> PhraseDecoded:
            chosen, scores = _best_of(workspace, len(sentence), size)
            return replace(decoded, chosen=chosen, scores=scores)

        return distinct_best(listed, n_best)

    def derivations(self, sentence: Sentence, chosen: Ragged, scores: FloatArray) -> PhraseDecoded:
        """Restores the result of an earlier search of a non-empty sentence."""
        options = self.options(sentence)
        scorers = tuple(model.prepare(sentence, options.table) for model in self.distortion)
        return PhraseDecoded(
            sentence, options, scorers, chosen, scores, self.lm, self.feature_names
        )

    def _space(
        self,
        options: SentenceOptions,
        weighted: Sequence[tuple[SentenceScorer, FloatArray]],
        zones: Int32Array,
    ) -> tuple[SearchSpace, CoverageModels | None]:
        """The arrays of the sentence for the compiled search, and the models that it asks for all
        steps into a stack."""
        tables, asked = [], []
        lazy: Any = NoAutomaton()
        for scorer, of_scorer in weighted:
            # the search has one lazy model; others are asked for all steps
            automaton = scorer.as_automaton(of_scorer) if isinstance(lazy, NoAutomaton) else None
            if isinstance(scorer, TableScorer):
                tables.append((scorer, of_scorer))
            elif automaton is not None:
                lazy = automaton
            else:
                asked.append((scorer, of_scorer))
        states = [] if isinstance(lazy, NoAutomaton) else [lazy.here]
        n_words = options.table.n_words
        scorers, every_weight = zip(*weighted, strict=True) if weighted else ((), ())
        space = SearchSpace(
            n_words,
            options.spans,
            options.first_span,
            options.options,
            options.option_words,
            weigh_tables(options, tables, states),
            best_futures(options, scorers, every_weight),
            jump_estimates(n_words, scorers, every_weight),
            self._speaker.weight,
            self._speaker.begin_state,
            END,
            zones,
            self._unit,
            lazy,
            np.empty((N_ROWS, len(options.spans) - 1)),
            np.full(N_ROWS, EMPTY, np.int32),
        )
        return space, CoverageModels(asked) if asked else None

    def _limits(self, n_words: int, *, keep_arcs: bool, is_free: bool) -> SearchLimits:
        settings = self.settings
        reaches_all = settings.pop_limit == 0 or not is_free or keep_arcs
        return SearchLimits(
            settings.pop_limit or UNLIMITED,
            settings.stack_size or UNLIMITED,
            settings.beam or np.inf,
            distance_limit(settings.distortion_limit, n_words),
            np.inf if reaches_all else reach(settings.pop_limit) * self._unit,
            keep_arcs,
        )

    def _best(
        self,
        space: SearchSpace,
        limits: SearchLimits,
        models: CoverageModels | None,
        deadline: float,
    ) -> tuple[int, Workspace]:
        """Searches, with larger workspaces until one suffices."""
        n_words = space.n_words
        while True:
            workspace = self._room(n_words)
            how = limits, models, self.is_stopped, deadline
            best = search(space, self._speaker.lm, workspace, *how)
            self._check_answers()
            if self._speaker.has_grown():
                self._workspace = None  # some cached answers are invalid
                continue
            if best == STOPPED:
                raise Stopped
            if best == NO_TRANSLATION or (best >= 0 and _is_forbidden(workspace, best)):
                if workspace.counters[NARROWED]:  # a constraint needs more than the time limit
                    deadline = inf
                    continue
                raise NotFound("no translation was found within the limits of the search")
            if best > FULL:
                return best, workspace
            self._capacity = self._capacity.enlarged(best)
            self._workspace = None
            if workspace_bytes(self._capacity) > MOST_BYTES:
                self._capacity = _first_capacity(self.settings)
                raise DataError(
                    f"a sentence of {n_words} words needs too much memory",
                    advice="split it, or lower search.stack_size and search.pop_limit",
                )

    def _room(self, n_words: int) -> Workspace:
        """A workspace for a sentence of this length; reuses the last one if it is large enough."""
        needed = (n_words + 1) * (self.settings.pop_limit or 1000) + 1
        size = coverage_size(n_words)
        have = self._workspace
        if (
            have is None
            or len(have.hypotheses) < needed
            or len(have.stacks) < n_words + 2
            or have.coverage.shape[1] != size
        ):
            capacity = self._capacity._replace(
                hypotheses=max(self._capacity.hypotheses, needed),
                groups=max(self._capacity.groups, 64 * (n_words + 1)),
            )
            have = self._workspace = make_workspace(max(n_words, 64), size, capacity)
            self._capacity = capacity
        return have


def score_unit(weights: float) -> float:
    """The unit of scores for a sum of absolute weights: 1 for the default weights. A power of two,
    so that multiplying all weights by one only multiplies all scores."""
    return 2.0 ** round(log2(weights / USUAL_WEIGHTS)) if weights else 1.0


def reach(pop_limit: int) -> float:
    """How far below the best hypothesis of a stack the search takes steps, in units of scores.

    The steps further below are many and hardly ever lead to the best translation; but the more
    steps a search may take, the more of them it should use.
    """
    return max(5.0, log2(pop_limit) - 2.0)


def _is_forbidden(workspace: Workspace, hypothesis: int) -> bool:
    return bool(workspace.hypotheses["score"][hypothesis] < -FORBIDDEN / 2)


def _first_capacity(settings: SearchSettings) -> Capacity:
    pops = settings.pop_limit or 1000
    slots = 1 << (2 * pops).bit_length()
    edges = 1 << 12
    return Capacity(pops, 1 << 12, edges, edges + 4 * pops, slots)


def _best_of(workspace: Workspace, n_words: int, n: int) -> tuple[Ragged, FloatArray]:
    """Options (in target order) and scores of the `n` best derivations, or all if fewer, without
    those that a constraint forbids."""
    hypotheses = workspace.hypotheses[: workspace.counters[HYPOTHESES]]
    arcs, goal = workspace.arcs[: workspace.counters[ARCS]], len(hypotheses)
    complete = np.arange(*workspace.stacks["hypothesis"][n_words : n_words + 2])
    before = np.concatenate([arcs["before"].astype(np.int32), complete])
    forest = Forest(
        np.append(hypotheses["score"], 0.0),
        np.concatenate([arcs["to"], np.full_like(complete, goal)]),
        np.where(before == 0, NONE, before),
        np.full(len(before), NONE),
        np.concatenate([arcs["score"], np.zeros(len(complete))]),
    )
    found, scores = best_derivations(forest, goal, n)
    n_allowed = int(np.count_nonzero(scores > -FORBIDDEN / 2))  # they come first
    backwards = found.take(np.arange(n_allowed)[::-1]).values[::-1]
    options = arcs["option"][backwards[backwards < len(arcs)]]
    return Ragged(options, found.offsets[: n_allowed + 1] - np.arange(n_allowed + 1)), scores[
        :n_allowed
    ]


def distinct_best(listed: Callable[[int], AnyDecoded], n_best: int) -> AnyDecoded:
    """The best derivation of each translation, from lists of the best derivations; these grow until
    there are `n_best`."""
    size = n_best
    while True:
        decoded = listed(size)
        first = decoded.first_of_each_translation()
        if len(first) >= n_best or len(decoded) < size or size > MOST_TRIED * n_best:
            return decoded.take(first[:n_best])
        size *= 4


@uncounted_kernel
def _fill_path(hypotheses, last, options):
    """Writes the options of the best path to a hypothesis to the end of `options`; returns their
    start."""
    at = len(options)
    while last > 0:
        at -= 1
        options[at] = hypotheses[last].option
        last = hypotheses[last].previous
    return at
