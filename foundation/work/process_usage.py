"""What this process uses: the most memory that it has had, giving back what it has freed, time."""

import ctypes
import re
import resource
from contextlib import suppress
from pathlib import Path

_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
_BEGIN_ANEW = "5"  # see proc(5)


def begin_peak() -> None:
    """Peak memory counts from now on, if the system can reset it, as Linux can.

    Elsewhere a job may be charged for the memory of an earlier one of the same worker.
    """
    with suppress(OSError):
        _CLEAR.write_text(_BEGIN_ANEW)


def peak_megabytes() -> float:
    try:
        found = re.search(r"^VmHWM:\s*(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    except OSError:
        found = None
    if found:
        return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def used_by_all() -> tuple[float, float]:
    """Processor seconds of this process and of those that it has waited for, and the most megabytes
    that any one of them has had."""
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(used.ru_utime + used.ru_stime for used in (own, others))
    return seconds, max(peak_megabytes(), others.ru_maxrss / 1024)


def give_back_memory() -> None:
    """What was freed goes back to the system, if it is asked to, as glibc can be.

    It keeps what threads free for their next arrays: some gigabytes after work in many blocks.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
