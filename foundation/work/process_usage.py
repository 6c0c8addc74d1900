"""Memory and time of this process: peak memory, returning freed memory, processor time."""

import ctypes
import re
import resource
from contextlib import suppress
from pathlib import Path

_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
_BEGIN_ANEW = "5"  # resets the peak; see proc(5)


def begin_peak() -> None:
    """Resets the peak memory, if the system supports it, as Linux does.

    Otherwise, the peak of a job may be that of an earlier job of the same worker.
    """
    with suppress(OSError):
        _CLEAR.write_text(_BEGIN_ANEW)


def peak_megabytes() -> float:
    try:
        match = re.search(r"^VmHWM:\s*(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    except OSError:
        match = None
    if match:
        return int(match[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def used_by_all() -> tuple[float, float]:
    """Processor seconds of this process and its finished children, and the largest peak memory of
    any of them, in megabytes."""
    usage, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(used.ru_utime + used.ru_stime for used in (usage, children))
    return seconds, max(peak_megabytes(), children.ru_maxrss / 1024)


def give_back_memory() -> None:
    """Returns freed memory to the system, if the C library supports it, as glibc does.

    glibc keeps memory freed by threads for later use: some gigabytes after work in many blocks.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
