"""The queue of steps: buckets of nearly equal scores, which is faster than a heap."""

import numpy as np

from hyperbaton.foundation.kernels import uncounted

N_BUCKETS = 512
# Differences of scores, in units (`space.unit`)
BUCKETS_PER_UNIT = 16
HEADROOM = 8.0  # by which a step may be better than the best before it
# By which the words of a step may score better in context than without; more costs time, less finds
# less
OPTIMISM = 0.5


@uncounted
def bucket_of(space, behind):
    """The bucket for a score this far behind the best one."""
    bucket = behind * (BUCKETS_PER_UNIT / space.unit)
    return np.uint64(min(max(bucket, 0.0), N_BUCKETS - 1.0))
