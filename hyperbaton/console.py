"""Talk: whatever is not data goes to stderr, and progress only to a terminal."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from models.progress import Progress

PATIENCE = 1.0  # seconds before a progress line appears
COMPILING = (
    "compiling for the first time, which takes up to half a minute; later runs start at once"
)


def say(message: str) -> None:
    print(message, file=sys.stderr)


def announce_compilation(module: str) -> None:
    """Tells whoever waits that the hot loops of a module have yet to be compiled, if so."""
    from models.kernels import cache_folder

    if not any(cache_folder(module).rglob("*.nbi")):
        say(COMPILING)


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """A callback that keeps one line on the terminal up to date; None if stderr is not one.

    The rate is measured from the first report on the same kind of work, which shows none.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True)
    status = console.status("")
    opened = time.monotonic()
    kind, began, first = "", opened, 0

    def report(what: str, done: int) -> None:
        nonlocal kind, began, first
        now = time.monotonic()
        if what != kind or done < first:  # the same work may be done again
            kind, began, first = what, now, done
        if done and now - opened < PATIENCE:
            return  # what only announces itself (done = 0) may then be silent for long
        count = f": {done:,}" if done else ""
        rate = f" ({(done - first) / (now - began):,.0f}/s)" if now > began else ""
        status.update(f"{what}{count}{rate}")
        status.start()

    try:
        yield report
    finally:
        status.stop()
