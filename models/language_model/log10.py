"""The one place where base 10, the base of ARPA files and KenLM, becomes our natural logarithm."""

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", float, NDArray[np.float64])

LN10 = math.log(10.0)


def from_log10(value: Number) -> Number:
    return value * LN10


def to_log10(value: Number) -> Number:
    return value / LN10
