"""The peak memory of a piece of work, for processes that do several one after the other.

The kernel keeps one peak for the whole life of a process. Linux can reset it; elsewhere a later
piece of work may be charged for the memory of an earlier one.
"""

import contextlib
import re
import resource
from pathlib import Path

_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
_BEGIN_ANEW = "5"  # see proc(5)


def begin_peak() -> None:
    """From now on, if the system lets us."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text(_BEGIN_ANEW)


def peak_megabytes() -> float:
    try:
        found = re.search(r"^VmHWM:\s*(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    except OSError:
        found = None
    if found:
        return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
