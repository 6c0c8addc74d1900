"""Binary search for compiled code.

Numba's `np.searchsorted` takes as long to compile as a kernel.
"""

from hyperbaton.foundation.kernels import uncounted


@uncounted
def lower_bound(values, begin, end, value):
    """The first index in the sorted values[begin:end] whose value is not below `value`."""
    while begin < end:
        middle = (begin + end) >> 1
        if values[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin
