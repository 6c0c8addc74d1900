"""Models whose scores are expensive: the search asks them only for the steps that it evaluates.

A scorer with an automaton (`SentenceScorer.as_automaton`) gives the search arrays and a compiled
function. The function gets the coverage, the last option and the automaton's state, like a
coverage model, but scores one step, when the language model scores its words.

    NoAutomaton         no such model
    OperationAutomaton  operation sequences (osm/walking.py)

The kind is known when the search is compiled, so that other models do not pay for it.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from hyperbaton.foundation.kernels import UNCOUNTED, uncounted
from hyperbaton.models.distortion.osm.walking import OperationAutomaton, follow

NO_STATE = -1


class NoAutomaton(NamedTuple):
    begin_state: int = NO_STATE


def follow_step(automaton: Any, coverage: Any, last: int, state: int, option: int) -> Any:
    """The weighted score of an option after the option `last`, numbered from 1, and the next
    state."""
    raise NotImplementedError("compiled code only")


@overload(follow_step, jit_options=UNCOUNTED, strict=False)  # type: ignore[arg-type]  # as jit
def _code_of(automaton, coverage, last, state, option):  # noqa: ARG001
    return {NoAutomaton: _no_score, OperationAutomaton: follow}[automaton.instance_class]


@uncounted
def _no_score(automaton, coverage, last, state, option):  # noqa: ARG001
    return 0.0, np.int32(0)
