"""Search with models whose score or estimate depends on which source words are covered.

Such a model is asked once per stack, with one batch of all steps that may lead into it. By the law
of states, a step's features depend on the coverage, the model's state and the option only, so a
batch has one step for each edge, each distinct state in the edge's group, and each option of its
span.

What a model estimates of the rest of the sentence decides which hypotheses are tried first and
which are pruned. It never becomes part of a score.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from decoder.edges import collect_edges
from decoder.options import SentenceOptions
from decoder.problem import Problem, coverage_words
from decoder.search import begin, best_hypothesis, fill_stack, prune_and_group
from decoder.workspace import EXTRA, FULL, Workspace
from models.arrays import Int32Array, Int64Array
from models.distortion.distinct_rows import EMPTY, add, enlarged, no_rows
from models.distortion.interface import SentenceScorer, Steps
from models.distortion.tables import TableScorer
from models.language_model.automaton import Automaton

FloatArray = NDArray[np.float64]


def estimates_options(scorer: SentenceScorer) -> bool:
    return type(scorer).option_estimate is not SentenceScorer.option_estimate


def estimates_coverage(scorer: SentenceScorer) -> bool:
    return type(scorer).coverage_estimate is not SentenceScorer.coverage_estimate


class CoverageModels:
    """The models of one sentence that look at the coverage, with their weights.

    `scorers` are not tables; `estimators` are, but estimate the rest from the coverage.
    """

    def __init__(
        self,
        options: SentenceOptions,
        scorers: Sequence[tuple[SentenceScorer, FloatArray]],
        estimators: Sequence[tuple[TableScorer, FloatArray]] = (),
    ) -> None:
        self._options, self._scorers, self._estimators = options, scorers, estimators
        self._span_words = _span_words(options)
        self._joint = no_rows(np.int64)  # the combinations of the models' states, by number
        self._numbers(np.array([[scorer.initial_state for scorer, _ in scorers]], np.int64))

    def search(
        self,
        problem: Problem,
        lm: Automaton,
        ws: Workspace,
        pop_limit: int,
        stack_size: int,
        beam: float,
        distortion_limit: int,
        keep_arcs: bool,
    ) -> int:
        """As `decoder.search.search`, with a batch of questions before each stack is filled."""
        begin(problem, ws)
        for n_covered in range(1, problem.n_words + 1):
            n_edges = collect_edges(problem, ws, n_covered, distortion_limit)
            if n_edges < 0:
                return FULL
            extra = self._ask(ws, n_edges, is_last=n_covered == problem.n_words)
            if not fill_stack(problem, lm, ws, extra, n_covered, n_edges, pop_limit, keep_arcs):
                return FULL
            prune_and_group(ws, n_covered, stack_size, beam)
            self._classify(ws, n_covered)
        return int(best_hypothesis(ws, problem.n_words))

    def _classify(self, ws: Workspace, stack: int) -> None:
        """Numbers the distinct states inside each group of the stack."""
        groups = ws.groups[ws.stacks["group"][stack] : ws.stacks["group"][stack + 1]]
        sizes = groups["size"].astype(np.int64)
        first = int(groups["begin"][0]) if len(sizes) else 0
        members = ws.members[first : first + int(sizes.sum())]
        group = np.repeat(np.arange(len(sizes)), sizes)
        n_states = int(self._joint.total[0])
        keys = group * n_states + ws.hypotheses["extra"][members["hypothesis"]]
        distinct, place = np.unique(keys, return_inverse=True)
        begin_of_group = np.searchsorted(distinct, np.arange(len(sizes)) * n_states)
        members["kind"] = place - begin_of_group[group]

    def _kinds(self, ws: Workspace, groups: NDArray[Any]) -> tuple[Int64Array, Int64Array]:
        """For each group the number of its kinds, and a hypothesis of each, group by group."""
        sizes = groups["size"].astype(np.int64)
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        members = ws.members[np.repeat(groups["begin"], sizes) + within]
        row = np.repeat(np.arange(len(groups)), sizes)
        kinds = members["kind"].astype(np.int64)
        width = int(kinds.max(initial=0)) + 1
        keys, first = np.unique(row * width + kinds, return_index=True)
        n_kinds = np.bincount(keys // width, minlength=len(groups))
        return n_kinds, members["hypothesis"][first].astype(np.int64)

    def _ask(self, ws: Workspace, n_edges: int, *, is_last: bool) -> NDArray[Any]:
        """The scores of all steps into a stack, and the states behind them, EXTRA."""
        edges = ws.edges[:n_edges]
        groups, row_of_edge = np.unique(edges["group"], return_inverse=True)
        n_kinds, examples = self._kinds(ws, ws.groups[groups])
        kind_begin = np.cumsum(n_kinds) - n_kinds
        n_options = (edges["option_end"] - edges["option"]).astype(np.int64)
        sizes = n_kinds[row_of_edge] * n_options
        edges["extra"] = np.cumsum(sizes) - sizes
        edge = np.repeat(np.arange(n_edges), sizes)
        within = np.arange(len(edge)) - edges["extra"][edge]
        option = (edges["option"][edge] + within % n_options[edge]).astype(np.int32)
        example = examples[kind_begin[row_of_edge[edge]] + within // n_options[edge]]
        coverage = ws.coverage[edges["group"][edge]]
        known = self._joint.values[: self._joint.begin[self._joint.total[0]]]
        known = known.reshape(int(self._joint.total[0]), len(self._scorers))
        states = known[ws.hypotheses["extra"][example]]  # (B, models)
        after = np.empty_like(states)
        extra = np.zeros(len(option), EXTRA)
        for column, (scorer, weights) in enumerate(self._scorers):
            steps = Steps(ws.hypotheses["option"][example], option, coverage, states[:, column])
            extra["score"] += scorer.features(steps) @ weights
            after[:, column] = scorer.advance(steps)
            if is_last:
                extra["score"] += scorer.finish(after[:, column]) @ weights
        if not is_last:  # where nothing is left there is nothing to be estimated
            coverage = coverage | self._span_words[edges["span"][edge]]
            extra["estimate"] = self._estimates(coverage, option, after)
        extra["next"] = self._numbers(after)
        return extra

    def _estimates(
        self, coverage: NDArray[np.uint64], option: Int32Array, states: Int64Array
    ) -> FloatArray:
        """What the models expect of the rest after each step."""
        estimates = np.zeros(len(option))
        for column, (scorer, weights) in enumerate(self._scorers):
            if estimates_coverage(scorer):
                estimates += scorer.coverage_estimate(coverage, states[:, column]) @ weights
        for table, weights in self._estimators:
            state = table.state_of_option[option + 1]
            estimates += table.coverage_estimate(coverage, state) @ weights
        return estimates

    def _numbers(self, states: Int64Array) -> Int32Array:
        """A number for each combination of states, the same one throughout the sentence."""
        numbers = np.empty(len(states), np.int32)
        done = 0
        while (done := _number(self._joint, states, numbers, done)) < len(states):
            self._joint = enlarged(self._joint)
        return numbers


@njit(cache=True, nogil=True)
def _number(rows, states, numbers, done):
    """Fills in the numbers of the rows from `done` on; how many are done when it ends."""
    for row in range(done, len(states)):
        number = add(rows, states[row], states.shape[1])
        if number == EMPTY:
            return row
        numbers[row] = number
    return len(states)


def _span_words(options: SentenceOptions) -> NDArray[np.uint64]:
    """The words of each span as bits, (S, W)."""
    words = np.zeros((len(options.span_start), coverage_words(options.table.n_words)), np.uint64)
    for offset in range(int((options.span_end - options.span_start).max(initial=0))):
        rows = np.flatnonzero(options.span_start + offset < options.span_end)
        place = options.span_start[rows] + offset
        words[rows, place >> 6] |= np.uint64(1) << (place & 63).astype(np.uint64)
    return words
