"""Search with models whose score depends on which source words are covered.

Such a model is asked once per stack, with one batch of all steps that may lead into it. By the law
of states, a step's features depend on the coverage, the model's state and the option only, so a
batch has one step for each edge, each distinct state in the edge's group, and each option of its
span.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from decoder.options import SentenceOptions
from decoder.problem import Problem
from decoder.search import (
    FULL,
    begin,
    best_hypothesis,
    collect_edges,
    fill_stack,
    prune_and_group,
)
from decoder.workspace import Extra, Workspace
from models.arrays import Int32Array, Int64Array
from models.distortion.interface import SentenceScorer, Steps
from models.language_model.automaton import Automaton

FloatArray = NDArray[np.float64]


class CoverageModels:
    """The models of one sentence that look at the coverage, with their weights."""

    def __init__(
        self, options: SentenceOptions, scorers: Sequence[tuple[SentenceScorer, FloatArray]]
    ) -> None:
        self._options, self._scorers = options, scorers
        first = tuple(scorer.initial_state for scorer, _ in scorers)
        self._joint = {first: 0}  # number of each combination of the models' states ...
        self._states = [first]  # ... and the combination of each number

    def search(
        self,
        problem: Problem,
        lm: Automaton,
        ws: Workspace,
        pop_limit: int,
        stack_size: int,
        beam: float,
        distortion_limit: int,
    ) -> int:
        """As `decoder.search.search`, with a batch of questions before each stack is filled."""
        begin(problem, ws)
        for n_covered in range(1, problem.n_words + 1):
            n_edges = collect_edges(problem, ws, n_covered, distortion_limit)
            if n_edges < 0:
                return FULL
            extra = self._ask(ws, n_edges, is_last=n_covered == problem.n_words)
            if not fill_stack(problem, lm, ws, extra, n_covered, n_edges, pop_limit):
                return FULL
            prune_and_group(ws, n_covered, stack_size, beam)
            self._classify(ws, n_covered)
        return int(best_hypothesis(ws, problem.n_words))

    def _classify(self, ws: Workspace, stack: int) -> None:
        """Numbers the distinct states inside each group of the stack."""
        groups = slice(int(ws.stack_group[stack]), int(ws.stack_group[stack + 1]))
        sizes = ws.group_size[groups]
        first = int(ws.group_begin[groups.start]) if len(sizes) else 0
        members = ws.members[first : first + int(sizes.sum())]
        group = np.repeat(np.arange(len(sizes)), sizes)
        keys = group * len(self._states) + ws.extra[members]
        distinct, place = np.unique(keys, return_inverse=True)
        begin_of_group = np.searchsorted(distinct, np.arange(len(sizes)) * len(self._states))
        ws.member_class[first : first + len(members)] = place - begin_of_group[group]

    def _classes(self, ws: Workspace, groups: Int32Array) -> tuple[Int64Array, Int64Array]:
        """For each group the number of its classes, and a member of every class, group by group."""
        sizes = ws.group_size[groups].astype(np.int64)
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = np.repeat(ws.group_begin[groups], sizes) + within
        row = np.repeat(np.arange(len(groups)), sizes)
        kinds = ws.member_class[places]
        width = int(kinds.max(initial=0)) + 1
        keys, first = np.unique(row * width + kinds, return_index=True)
        return np.bincount(keys // width, minlength=len(groups)), ws.members[places[first]]

    def _ask(self, ws: Workspace, n_edges: int, *, is_last: bool) -> Extra:
        """The scores of all steps into a stack, and the states behind them."""
        groups, row_of_edge = np.unique(ws.edge_group[:n_edges], return_inverse=True)
        n_classes, examples = self._classes(ws, groups)
        class_begin = np.cumsum(n_classes) - n_classes
        span_option = self._options.span_option.astype(np.int64)
        spans = ws.edge_span[:n_edges]
        n_options = span_option[spans + 1] - span_option[spans]
        sizes = n_classes[row_of_edge] * n_options
        edge_begin = np.cumsum(sizes) - sizes
        edge = np.repeat(np.arange(n_edges), sizes)
        within = np.arange(len(edge)) - edge_begin[edge]
        option = (span_option[spans[edge]] + within % n_options[edge]).astype(np.int32)
        example = examples[class_begin[row_of_edge[edge]] + within // n_options[edge]]
        coverage = ws.group_coverage[ws.edge_group[edge]]
        states = np.array(self._states, np.int64)[ws.extra[example]]  # (steps, models)
        score = np.zeros(len(option))
        after = np.empty_like(states)
        for column, (scorer, weights) in enumerate(self._scorers):
            steps = Steps(ws.option[example], option, coverage, states[:, column])
            score += scorer.features(steps) @ weights
            after[:, column] = scorer.advance(steps)
            if is_last:
                score += scorer.finish(after[:, column]) @ weights
        return Extra(edge_begin, score, self._numbers(after))

    def _numbers(self, states: Int64Array) -> Int32Array:
        """A number for each combination of states, the same one throughout the sentence."""
        distinct, place = np.unique(states, axis=0, return_inverse=True)
        numbers = np.empty(len(distinct), np.int32)
        for row, combination in enumerate(map(tuple, distinct.tolist())):
            if combination not in self._joint:
                self._joint[combination] = len(self._states)
                self._states.append(combination)
            numbers[row] = self._joint[combination]
        return numbers[place.reshape(-1)]
