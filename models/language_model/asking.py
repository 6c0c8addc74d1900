"""Queries a language model in Python from compiled code.

A query is a state and a word, the answer log p(word | state) and the next state. Answers are
cached, because a search repeats queries. A new query calls a function pointer, and holds the GIL
during the call.
"""

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.hashing import GOLDEN
from hyperbaton.foundation.kernels import uncounted

ANSWER = np.dtype(
    [("key", np.uint64), ("logprob", np.float64), ("next", np.int32), ("unused", np.int32)]
)
NO_KEY = np.uint64(2**64 - 1)  # key of an empty slot
ASKED_BITS = 19  # 2^19 answers, 12 MB
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, ctypes.c_int32)


class Asked(NamedTuple):
    """The model as one argument of compiled code. For one thread."""

    function: int  # address of a FUNCTION: from a state and a word to the next state
    logprob: FloatArray  # (1,) log p, set by the function
    answers: NDArray[Any]  # (2^ASKED_BITS,) ANSWER


def no_answers(bits: int) -> NDArray[Any]:
    """An empty cache of answers, in which new answers replace old ones."""
    answers = np.zeros(1 << bits, ANSWER)
    answers["key"] = NO_KEY
    return answers


def address_of(function: Callable[[int, int], int]) -> int:
    """The address of a FUNCTION, which must be kept alive."""
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)  # type: ignore[arg-type]


@uncounted
def question(state, word):
    return (np.uint64(state) << np.uint64(32)) | np.uint64(word)


@uncounted
def place_of(key, bits):
    """The cache slot of a query."""
    return ((key ^ (key >> np.uint64(29))) * GOLDEN) >> np.uint64(64 - bits)


@uncounted
def ask(lm, state, word):
    key = question(state, word)
    known = lm.answers[place_of(key, ASKED_BITS)]
    if known.key != key:
        known.next = _call(lm.function, np.int32(state), np.int32(word))
        known.key, known.logprob = key, lm.logprob[0]
    return known.logprob, known.next


@intrinsic
def _call(typing: Any, address: Any, state: Any, word: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        integer = ir.IntType(32)
        function = ir.FunctionType(integer, [integer, integer]).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), arguments[1:])

    return types.int32(types.int64, types.int32, types.int32), generate
