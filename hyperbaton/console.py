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
    """A callback that keeps one line on the terminal up to date; None if stderr is not one."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True)
    began = time.monotonic()
    status = console.status("")

    def report(what: str, done: int) -> None:
        elapsed = time.monotonic() - began
        if elapsed > PATIENCE:
            status.update(f"{what}: {done:,} ({done / elapsed:,.0f}/s)")
            status.start()

    try:
        yield report
    finally:
        status.stop()
