"""Messages and progress on stderr; stdout is for data."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from threading import Event, Thread

from hyperbaton.foundation.progress import Progress, Reporter

PATIENCE = 1.0  # seconds before a progress line appears
INTERVAL = 10.0  # seconds between progress lines without a terminal
COMPILING = "compiling for the first time, which takes some seconds; later runs start at once"

PROGRAM = "hyperbaton"
WARNING = "warning:"
RED, YELLOW, DIM, PLAIN = "\x1b[1;31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"

_beside: list[Callable[[], str]] = []  # texts appended to every progress line


def say(message: str) -> None:
    """Prints a message; on a terminal, the word `warning:` is yellow."""
    if message.startswith(WARNING) and has_colours():
        message = f"{YELLOW}{WARNING}{PLAIN}{message.removeprefix(WARNING)}"
    print(message, file=sys.stderr)


def complain(message: str) -> None:
    """Prints an error; on a terminal, `error:` is red and the advice dim."""
    if not has_colours():
        print(f"hyperbaton: {message}", file=sys.stderr)
        return
    first, *rest = message.splitlines()
    lines = [f"{RED}error:{PLAIN} {first}", *(f"{DIM}{line}{PLAIN}" for line in rest)]
    print("\n".join(lines), file=sys.stderr)


def has_colours() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


def program() -> str:
    """The command with which the user can call this program."""
    beside = Path(sys.executable).with_name(PROGRAM)
    if which(PROGRAM):
        return PROGRAM
    return os.path.relpath(beside) if beside.exists() else f"{sys.executable} -m {PROGRAM}"


def announce_compilation(module: str) -> None:
    """Tells the user to wait if the kernels of a module are not compiled yet."""
    from hyperbaton.foundation.kernels import is_compiled

    if not is_compiled(module):
        say(COMPILING)


@contextmanager
def beside_progress(text: Callable[[], str]) -> Iterator[None]:
    """Appends a text to all progress lines."""
    _beside.append(text)
    try:
        yield
    finally:
        _beside.remove(text)


@contextmanager
def progress_line() -> Iterator[Progress]:
    """A callback that updates one line on a terminal, or writes a line now and then to a file.

    The rate is measured from the first report of each kind of work, which itself shows none.
    """
    with _status() if sys.stderr.isatty() else _lines() as show:
        opened = time.monotonic()
        kind, began, first = "", opened, 0

        def report(what: str, done: int) -> None:
            nonlocal kind, began, first
            now = time.monotonic()
            if what != kind or done < first:  # new work, or the same work again
                kind, began, first = what, now, done
            if done and now - opened < PATIENCE:
                return  # work announced with done = 0 is shown at once: it may take long
            count = f": {done:,}" if done else ""
            rate = f" ({(done - first) / (now - began):,.0f}/s)" if done and now > began else ""
            show(" | ".join([f"{what}{count}{rate}", *(text() for text in _beside)]))

        yield report


@contextmanager
def reporting(*, resumes: bool = False) -> Iterator[Reporter]:
    """Messages and progress on stderr; if the work `resumes`, stopping it prints a hint."""
    try:
        with progress_line() as progress:
            yield Reporter(say, progress)
    except KeyboardInterrupt:
        if resumes:
            say("stopped; run the same command again to resume")
        raise


@contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    """Shows a text on the last line of the terminal."""
    from rich.console import Console

    status = Console(stderr=True).status("")

    def show(text: str) -> None:
        status.update(text)
        status.start()

    try:
        yield show
    finally:
        status.stop()


@contextmanager
def _lines() -> Iterator[Callable[[str], None]]:
    """Writes the latest text as a line after every interval, unless it is unchanged.

    A thread writes it, because work may not report for a long time after its announcement.
    """
    latest, ended = "", Event()

    def show(text: str) -> None:
        nonlocal latest
        latest = text

    def write() -> None:
        written = ""
        while not ended.wait(INTERVAL):
            if latest != written:
                written = latest
                say(written)

    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield show
    finally:
        ended.set()
        thread.join()
