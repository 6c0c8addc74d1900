"""Results on their way home.

Dask passes a result on through the scheduler, and trusts it as it trusts all of its messages. What
is large in it, arrays and other buffers of bytes, takes another way, and nothing is ever made of
these bytes but arrays.
"""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from hyperbaton.foundation.errors import DataError


@dataclass(frozen=True)
class Packed:
    pickled: bytes
    ticket: str = ""  # of the buffers, if they were sent ahead
    sizes: tuple[int, ...] = ()  # of each of them

    def unpacked(self, delivered: Callable[[str], bytearray]) -> Any:
        """The result, with the buffers that were sent ahead under a ticket."""
        if not self.ticket:
            return pickle.loads(self.pickled)
        data = delivered(self.ticket)
        ends = list(accumulate(self.sizes, initial=0))
        if len(data) != ends[-1]:
            raise DataError("a worker's result is damaged")
        # copies, because arrays must begin at whole words
        return pickle.loads(self.pickled, buffers=[data[a:b] for a, b in pairwise(ends)])
