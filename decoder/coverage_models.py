"""Models whose scores depend on the covered source words.

Such a model scores one batch per stack, with all steps that may lead into it. A step's features
depend only on the coverage, the model's state and the option, so a batch has one step for each
edge, each distinct state in the edge's group, and each option of its span.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.decoder.workspace import ANSWER
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, UInt64Array
from hyperbaton.foundation.hashing import EMPTY, add_row, enlarged, no_rows
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.interface import SentenceScorer, Steps


class StepBatch(NamedTuple):
    """B steps into a stack, sorted by edge, kind of member and option."""

    previous: Int32Array  # (B,) options
    option: Int32Array  # (B,)
    coverage: UInt64Array  # (B, W) before the step
    states: Int64Array  # (models, B) before the step


class CoverageModels:
    """The coverage models of one sentence, with their weights."""

    def __init__(self, scorers: Sequence[tuple[SentenceScorer, FloatArray]]) -> None:
        self._scorers = scorers
        self._weights = np.concatenate([weights for _, weights in scorers])
        self.n_models = len(scorers)
        self.joint_states = no_rows(np.int64)  # combinations of the models' states, by number
        first = np.array([scorer.initial_state for scorer, _ in scorers], np.int64)
        self._answers(np.zeros((1, len(self._weights))), first.reshape(-1, 1))  # gets number 0

    def ask(self, batch: StepBatch, *, is_last: bool) -> NDArray[Any]:
        """The scores of all steps into a stack and the states after them, as ANSWER records."""
        previous, option, coverage, states = batch
        features = []
        after = np.empty_like(states)  # (models, B)
        for number, (scorer, _) in enumerate(self._scorers):
            steps = Steps(previous, option, coverage, states[number])
            features.append(scorer.features(steps))
            after[number] = scorer.advance(steps)
            if is_last:
                features[-1] = features[-1] + scorer.finish(after[number])
        # avoid a copy for a single model
        every = features[0] if len(features) == 1 else np.concatenate(features, axis=1)  # (B, F)
        return self._answers(np.ascontiguousarray(every, np.float64), after)

    def _answers(self, features: FloatArray, states: Int64Array) -> NDArray[Any]:
        """The weighted features of steps, and the number of the combination of states after each,
        which is unique in the sentence."""
        answers = np.empty(len(features), ANSWER)
        done = 0
        while done < len(answers):
            done = _fill_in(answers, features, self._weights, self.joint_states, states, done)
            if done < len(answers):
                self.joint_states = enlarged(self.joint_states)
        return answers


@inner
def classify(ws, stack):
    """Numbers the distinct states in each group of the stack: the members' kinds."""
    for number in range(ws.stacks[stack].group, ws.stacks[stack + 1].group):
        group = ws.groups[number]
        members = ws.members[group.begin : group.begin + group.size]
        n_kinds = 0
        for member in range(len(members)):
            joint_state = ws.hypotheses[members[member].hypothesis].joint_state
            kind = n_kinds
            for other in range(member):
                if ws.hypotheses[members[other].hypothesis].joint_state == joint_state:
                    kind = members[other].kind
                    break
            members[member].kind = kind
            n_kinds = max(n_kinds, kind + 1)


@inner
def batch_of_steps(space, ws, edges, joint_states, n_models):
    """The steps of all edges; sets each edge's first answer."""
    n_steps = 0
    for edge in edges:
        edge.first_answer = n_steps
        n_kinds = 0
        for member in _members(ws, edge):
            n_kinds = max(n_kinds, member.kind + 1)
        first, last = space.spans[edge.span].option, space.spans[edge.span + 1].option
        n_steps += n_kinds * np.int64(last - first)
    previous, option = np.empty(n_steps, np.int32), np.empty(n_steps, np.int32)
    coverage = np.empty((n_steps, ws.coverage.shape[1]), np.uint64)
    states = np.empty((n_models, n_steps), np.int64)
    for edge in edges:
        step, kind = edge.first_answer, 0
        first, last = space.spans[edge.span].option, space.spans[edge.span + 1].option
        for member in _members(ws, edge):
            if member.kind != kind:  # the first member represents its kind
                continue
            kind += 1
            before = ws.hypotheses[member.hypothesis]
            begin = joint_states.begin[before.joint_state]
            for taken in range(first, last):
                previous[step], option[step] = before.option, taken
                for word in range(coverage.shape[1]):
                    coverage[step, word] = ws.coverage[edge.group, word]
                for model in range(n_models):
                    states[model, step] = joint_states.values[begin + model]
                step += 1
    return StepBatch(previous, option, coverage, states)


@inner
def _members(ws, edge):
    group = ws.groups[edge.group]
    return ws.members[group.begin : group.begin + group.size]


@kernel
def _fill_in(answers, features, weights, joint_states, states, first):
    """Fills in scores and state numbers from step `first`; returns the step where space ran out."""
    row = np.empty(len(states), np.int64)
    number = np.int64(EMPTY)
    for step in range(first, len(answers)):
        is_new = step == first  # most steps lead to the same states as the previous step
        for model in range(len(row)):
            is_new = is_new or row[model] != states[model, step]
            row[model] = states[model, step]
        if is_new:
            number = np.int64(add_row(joint_states, row, len(row)))
            if number == EMPTY:
                return step
        score = 0.0
        for feature in range(len(weights)):
            score += weights[feature] * features[step, feature]
        answers[step].score, answers[step].joint_state = score, number
    return len(answers)
