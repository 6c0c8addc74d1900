"""One sentence at a time: options, distortion tables, search, and the best derivation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoder.coverage_models import CoverageModels
from decoder.decoded import Decoded
from decoder.distortion_tables import weigh_tables
from decoder.features import DENSE_FEATURES
from decoder.nbest import best_derivations
from decoder.options import OptionFinder, OptionWeights, SentenceOptions
from decoder.problem import Problem, coverage_words, future_scores
from decoder.search import FULL, NO_LIMIT, NOTHING, search
from decoder.workspace import NO_EXTRA, Capacity, Workspace, make_workspace
from models.arrays import Int32Array, Ragged
from models.distortion.interface import DistortionModel, SentenceScorer
from models.distortion.tables import TableScorer
from models.errors import DataError, SettingError
from models.language_model.model import LanguageModel
from models.phrases.table import SCORES, PhraseTable
from models.sentence import Sentence
from models.vocabulary import END

FloatArray = NDArray[np.float64]
MOST_OPTIONS = 64  # per source phrase: a bit each in the search
MOST_TRIED = 100  # derivations for each distinct translation that is wanted
MOST_BYTES = 4 << 30  # of a workspace; a sentence that needs more is given up


@dataclass(frozen=True)
class SearchSettings:
    """How the decoder searches (`--set search.KEY=VALUE`)."""

    pop_limit: int = 400  # steps tried for each stack; 0: all, which is exhaustive
    stack_size: int = 200  # hypotheses kept in each stack; 0: all
    beam: float = 0.0  # keep hypotheses at most so much worse than the best; 0: no limit
    distortion_limit: int = 6  # −1: none
    options: int = 20  # translations for each source phrase
    drop_unknown: bool = False  # leave unknown words out instead of copying them


class Decoder:
    """Translates sentences under given weights. Not shared between threads: it owns its memory."""

    def __init__(
        self,
        phrases: PhraseTable,
        lm: LanguageModel,
        distortion: Sequence[DistortionModel],
        weights: Mapping[str, float],
        settings: SearchSettings = SearchSettings(),
    ) -> None:
        if not 1 <= settings.options <= MOST_OPTIONS:
            raise SettingError(
                f"there cannot be {settings.options} options for a source phrase",
                expected=f"possible: 1 to {MOST_OPTIONS}",
            )
        self.phrases, self.lm, self.distortion = phrases, lm, tuple(distortion)
        self.settings = settings
        self.weights = dict(weights)
        self._distortion_weights = [
            np.array([weights[name] for name in model.feature_names]) for model in distortion
        ]
        self._finder = OptionFinder(
            phrases,
            lm,
            OptionWeights(
                np.array([weights[f"translation.{name}"] for name in SCORES]),
                weights["phrase_penalty"],
                weights["word_penalty"],
                weights["lm"],
                weights["unknown"],
            ),
            settings.options,
            drop_unknown=settings.drop_unknown,
        )
        self._workspace: Workspace | None = None
        self._capacity = _first_capacity(settings)

    @property
    def feature_names(self) -> tuple[str, ...]:
        own = (name for model in self.distortion for name in model.feature_names)
        return (*DENSE_FEATURES, *own)

    def decode(self, sentence: Sentence, n_best: int = 1, *, distinct: bool = False) -> Decoded:
        """The best derivations of a sentence; `distinct`: of each translation only the best."""
        options = self._finder.find(self.phrases.source_vocabulary.encode(sentence.words))
        if not len(sentence):
            nothing = Ragged(np.empty(0, np.int32), np.zeros(2, np.int64))
            return self._decoded(sentence, options, (), nothing, np.zeros(1))
        scorers = tuple(model.prepare(sentence, options.table) for model in self.distortion)
        tables = [(s, w) for s, w in self._weighed(scorers) if isinstance(s, TableScorer)]
        others = [(s, w) for s, w in self._weighed(scorers) if not isinstance(s, TableScorer)]
        asked = CoverageModels(options, others) if others else None
        best, workspace = self._search(self._problem(options, tables), asked)
        if n_best == 1:
            path = _path(workspace, best)
            chosen, scores = (
                Ragged(path, np.array([0, len(path)])),
                workspace.score[best : best + 1],
            )
            return self._decoded(sentence, options, scorers, chosen, scores.copy())
        size = n_best
        while True:
            chosen, scores = best_derivations(workspace, len(sentence), size)
            decoded = self._decoded(sentence, options, scorers, chosen, scores)
            if not distinct:
                return decoded
            first = decoded.first_of_each_translation()
            if len(first) >= n_best or len(chosen) < size or size > MOST_TRIED * n_best:
                return decoded.take(first[:n_best])
            size *= 4

    def _decoded(
        self,
        sentence: Sentence,
        options: SentenceOptions,
        scorers: Sequence[SentenceScorer],
        chosen: Ragged,
        scores: FloatArray,
    ) -> Decoded:
        return Decoded(sentence, options, scorers, chosen, scores, self.lm, self.feature_names)

    def _weighed(
        self, scorers: Sequence[SentenceScorer]
    ) -> Iterator[tuple[SentenceScorer, FloatArray]]:
        return zip(scorers, self._distortion_weights, strict=True)

    def _problem(
        self, options: SentenceOptions, scorers: Sequence[tuple[TableScorer, FloatArray]]
    ) -> Problem:
        tables = weigh_tables(options, [s for s, _ in scorers], [w for _, w in scorers])
        n_words = options.table.n_words
        best = np.maximum.reduceat(options.base + options.estimate, options.span_option[:-1])
        return Problem(
            n_words,
            options.span_start,
            options.span_end,
            options.span_option,
            options.length_span,
            options.base,
            options.word_begin,
            options.words,
            options.prefix_state,
            options.tail_score,
            *tables,
            future_scores(n_words, options.span_start, options.span_end, best),
            self.weights["lm"],
            self.lm.begin_state,
            END,
        )

    def _search(self, problem: Problem, asked: CoverageModels | None) -> tuple[int, Workspace]:
        settings = self.settings
        limits = (
            settings.pop_limit or NO_LIMIT,
            settings.stack_size or NO_LIMIT,
            settings.beam or np.inf,
            settings.distortion_limit if settings.distortion_limit >= 0 else problem.n_words,
        )
        while True:
            workspace = self._room(problem.n_words)
            if asked is None:
                best = search(problem, self.lm.automaton, workspace, NO_EXTRA, *limits)
            else:
                best = asked.search(problem, self.lm.automaton, workspace, *limits)
            if best == NOTHING:
                raise DataError("no translation was found within the limits of the search")
            if best != FULL:
                return best, workspace
            self._capacity = Capacity(*(2 * size for size in self._capacity))
            self._workspace = None
            if sum(self._capacity) * 8 > MOST_BYTES:
                self._capacity = _first_capacity(settings)
                raise DataError(
                    f"a sentence of {problem.n_words} words needs too much memory",
                    advice="split it, or lower search.stack_size and search.pop_limit",
                )

    def _room(self, n_words: int) -> Workspace:
        """A workspace for a sentence of this length: the last one, if it is large enough."""
        needed = (n_words + 1) * (self.settings.pop_limit or 1000) + 1
        size = coverage_words(n_words)
        have = self._workspace
        if (
            have is None
            or len(have.score) < needed
            or len(have.stack_begin) < n_words + 2
            or have.group_coverage.shape[1] != size
        ):
            capacity = self._capacity._replace(
                hypotheses=max(self._capacity.hypotheses, needed),
                groups=max(self._capacity.groups, 64 * (n_words + 1)),
            )
            have = self._workspace = make_workspace(max(n_words, 64), size, capacity)
            self._capacity = capacity
        return have


def _first_capacity(settings: SearchSettings) -> Capacity:
    pops = settings.pop_limit or 1000
    slots = 1 << (2 * pops).bit_length()
    edges = 1 << 12
    return Capacity(pops, 1 << 12, edges, 1 << 15, edges + 2 * pops, slots)


def _path(workspace: Workspace, last: int) -> Int32Array:
    """Options on the best path to a hypothesis."""
    options = []
    while last > 0:
        options.append(workspace.option[last])
        last = workspace.previous[last]
    return np.array(options[::-1], np.int32)
