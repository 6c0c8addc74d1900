"""Garbage collection in the program's own processes: commands and their workers."""

import gc

# Allocations between collections. Numba creates many long-lived objects: at the default threshold,
# collections take a tenth of the time in which a command compiles, and 5 to 7 % of tuning.
RARELY = 1_000_000


def collect_rarely() -> None:
    gc.set_threshold(RARELY)
