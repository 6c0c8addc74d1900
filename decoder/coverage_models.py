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
from numpy.typing import NDArray

from decoder.edges import collect_edges
from decoder.estimates import estimates_coverage
from decoder.options import SentenceOptions
from decoder.problem import Problem
from decoder.search import begin, best_hypothesis, fill_stack, prune_and_group
from decoder.workspace import EXTRA, FULL, ONE, Workspace
from models.arrays import FloatArray, Int32Array, Int64Array
from models.distinct_rows import EMPTY, add, enlarged, no_rows
from models.distortion.interface import SentenceScorer, Steps
from models.distortion.tables import TableScorer
from models.kernels import kernel
from models.language_model.automaton import Automaton


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
        self._scorers = scorers
        self._estimating = [c for c, (own, _) in enumerate(scorers) if estimates_coverage(own)]
        self._estimators = estimators
        self._spans = options.spans
        self._weights = np.concatenate([np.empty(0), *(weights for _, weights in scorers)])
        self._joint = no_rows(np.int64)  # the combinations of the models' states, by number
        begin = np.array([scorer.initial_state for scorer, _ in scorers], np.int64)
        self._extra(np.zeros((1, len(self._weights))), begin.reshape(-1, 1))  # it has number 0

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
        n_models = len(self._scorers)
        begin(problem, ws)
        n_edges, *batch = _collect(problem, ws, self._joint, n_models, 1, distortion_limit)
        for n_covered in range(1, problem.n_words + 1):
            if n_edges < 0:
                return FULL
            is_last = n_covered == problem.n_words
            extra = self._ask(ws.edges[:n_edges], *batch, is_last=is_last)
            has_room, n_edges, *batch = _fill_and_collect(
                problem, lm, ws, extra, self._joint, n_models, n_covered, n_edges, pop_limit,
                stack_size, beam, distortion_limit, keep_arcs,
            )  # fmt: skip
            if not has_room:
                return FULL
        return int(best_hypothesis(ws, problem.n_words))

    def _ask(
        self,
        edges: NDArray[Any],
        previous: Int32Array,
        option: Int32Array,
        coverage: NDArray[np.uint64],
        states: Int64Array,
        *,
        is_last: bool,
    ) -> NDArray[Any]:
        """The scores of all steps into a stack, and the states behind them, EXTRA."""
        features = [np.empty((len(option), 0))]
        after = np.empty_like(states)  # (models, B)
        for number, (scorer, _) in enumerate(self._scorers):
            steps = Steps(previous, option, coverage, states[number])
            features.append(scorer.features(steps))
            after[number] = scorer.advance(steps)
            if is_last:
                features[-1] = features[-1] + scorer.finish(after[number])
        # one model's are taken as they are
        every = features[1] if len(features) == 2 else np.concatenate(features, axis=1)  # (B, F)
        extra = self._extra(np.ascontiguousarray(every, np.float64), after)
        # where nothing is left there is nothing to be estimated
        if not is_last and (self._estimating or self._estimators):
            _cover(coverage, edges, self._spans)
            extra["estimate"] = self._estimates(coverage, option, after)
        return extra

    def _estimates(
        self, coverage: NDArray[np.uint64], option: Int32Array, states: Int64Array
    ) -> FloatArray:
        """What the models expect of the rest after each step."""
        estimates = np.zeros(len(option))
        for number in self._estimating:
            scorer, weights = self._scorers[number]
            estimates += scorer.coverage_estimate(coverage, states[number]) @ weights
        for table, weights in self._estimators:
            state = table.state_of_option[option + 1]
            estimates += table.coverage_estimate(coverage, state) @ weights
        return estimates

    def _extra(self, features: FloatArray, states: Int64Array) -> NDArray[Any]:
        """The weighted features of steps, and a number for each combination of states behind them,
        the same one throughout the sentence."""
        extra = np.empty(len(features), EXTRA)
        done = 0
        while done < len(extra):
            done = _fill_in(extra, features, self._weights, self._joint, states, done)
            if done < len(extra):
                self._joint = enlarged(self._joint)
        return extra


@kernel
def _fill_and_collect(
    problem, lm, ws, extra, joint, n_models, n_covered, n_edges, pop_limit, stack_size, beam,
    distortion_limit, keep_arcs,
):  # fmt: skip
    """Fills a stack and collects what leads into the next one: whether there was room, and
    `_collect`'s. In one call, because the arguments of a call from Python are not free."""
    if not fill_stack(problem, lm, ws, extra, n_covered, n_edges, pop_limit, keep_arcs):
        return False, 0, *_batch(ws, ws.edges[:0], joint, n_models)
    prune_and_group(ws, n_covered, stack_size, beam)
    if n_covered == problem.n_words:
        return True, 0, *_batch(ws, ws.edges[:0], joint, n_models)
    _classify(ws, n_covered)
    return True, *_collect(problem, ws, joint, n_models, n_covered + 1, distortion_limit)


@kernel
def _collect(problem, ws, joint, n_models, n_covered, distortion_limit):
    """The number of edges into a stack, or FULL, and the batch of their steps."""
    n_edges = collect_edges(problem, ws, n_covered, distortion_limit)
    return n_edges, *_batch(ws, ws.edges[: max(n_edges, 0)], joint, n_models)


@kernel
def _classify(ws, stack):
    """Numbers the distinct states inside each group of the stack: the members' kinds."""
    for number in range(ws.stacks[stack].group, ws.stacks[stack + 1].group):
        group = ws.groups[number]
        members = ws.members[group.begin : group.begin + group.size]
        n_kinds = 0
        for member in range(len(members)):
            extra = ws.hypotheses[members[member].hypothesis].extra
            kind = n_kinds
            for other in range(member):
                if ws.hypotheses[members[other].hypothesis].extra == extra:
                    kind = members[other].kind
                    break
            members[member].kind = kind
            n_kinds = max(n_kinds, kind + 1)


@kernel
def _batch(ws, edges, joint, n_models):
    """The steps of all edges: previous option, option, coverage (B, W) and states (models, B)."""
    n_steps = 0
    for edge in edges:
        edge.extra = n_steps
        n_kinds = 0
        for member in ws.members[edge.member : edge.member_end]:
            n_kinds = max(n_kinds, member.kind + 1)
        n_steps += n_kinds * np.int64(edge.option_end - edge.option)
    previous, option = np.empty(n_steps, np.int32), np.empty(n_steps, np.int32)
    coverage = np.empty((n_steps, ws.coverage.shape[1]), np.uint64)
    states = np.empty((n_models, n_steps), np.int64)
    for edge in edges:
        step, kind = edge.extra, 0
        for member in ws.members[edge.member : edge.member_end]:
            if member.kind != kind:  # the first member of each kind stands for all of it
                continue
            kind += 1
            before = ws.hypotheses[member.hypothesis]
            begin = joint.begin[before.extra]
            for taken in range(edge.option, edge.option_end):
                previous[step], option[step] = before.option, taken
                for word in range(coverage.shape[1]):
                    coverage[step, word] = ws.coverage[edge.group, word]
                for model in range(n_models):
                    states[model, step] = joint.values[begin + model]
                step += 1
    return previous, option, coverage, states


@kernel
def _cover(coverage, edges, spans):
    """Adds the words of each edge's span to the coverage of its steps."""
    for number in range(len(edges)):
        span = spans[edges[number].span]
        end = edges[number + 1].extra if number + 1 < len(edges) else len(coverage)
        for place in range(span.start, span.end):
            bit = ONE << np.uint64(place & 63)
            for step in range(edges[number].extra, end):
                coverage[step, place >> 6] |= bit


@kernel
def _fill_in(extra, features, weights, joint, states, first):
    """Fills in scores and numbers of steps from `first` on; where it stopped for want of room."""
    row = np.empty(len(states), np.int64)
    number = np.int64(EMPTY)
    for step in range(first, len(extra)):
        is_new = step == first  # most steps lead to the same states as the one before
        for model in range(len(row)):
            is_new = is_new or row[model] != states[model, step]
            row[model] = states[model, step]
        if is_new:
            number = np.int64(add(joint, row, len(row)))
            if number == EMPTY:
                return step
        score = 0.0
        for feature in range(len(weights)):
            score += weights[feature] * features[step, feature]
        extra[step].score, extra[step].estimate, extra[step].next = score, 0.0, number
    return len(extra)
