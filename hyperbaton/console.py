"""Talk: everything that is not data goes to stderr, and progress only to a terminal."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from models.progress import Progress

PATIENCE = 1.0  # seconds before a progress line appears


def say(message: str) -> None:
    print(message, file=sys.stderr)


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """A callback that keeps one line on the terminal up to date; None if stderr is not one.

    The rate is that since the first report on the same kind of work, which shows none.
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
            return  # work that only says that it begins may say nothing more for long
        count = f": {done:,}" if done else ""
        rate = f" ({(done - first) / (now - began):,.0f}/s)" if now > began else ""
        status.update(f"{what}{count}{rate}")
        status.start()

    try:
        yield report
    finally:
        status.stop()
