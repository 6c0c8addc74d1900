"""Messages: everything that is not data goes to stderr."""

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
INTERVAL = 10.0  # seconds between lines of progress where there is no terminal
COMPILING = "compiling for the first time, which takes some seconds; later runs start at once"

PROGRAM = "hyperbaton"
WARNING = "warning:"
RED, YELLOW, DIM, PLAIN = "\x1b[1;31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"

_beside: list[Callable[[], str]] = []  # what else each line of progress says


def say(message: str) -> None:
    """Prints a message; on a terminal, the word `warning:` is yellow."""
    if message.startswith(WARNING) and has_colours():
        message = f"{YELLOW}{WARNING}{PLAIN}{message.removeprefix(WARNING)}"
    print(message, file=sys.stderr)


def complain(message: str) -> None:
    """Prints an error; on a terminal with a red `error:`, and what helps after it dim."""
    if not has_colours():
        print(f"hyperbaton: {message}", file=sys.stderr)
        return
    first, *rest = message.splitlines()
    lines = [f"{RED}error:{PLAIN} {first}", *(f"{DIM}{line}{PLAIN}" for line in rest)]
    print("\n".join(lines), file=sys.stderr)


def has_colours() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


def program() -> str:
    """The name by which this program can be called here."""
    beside = Path(sys.executable).with_name(PROGRAM)
    if which(PROGRAM):
        return PROGRAM
    return os.path.relpath(beside) if beside.exists() else f"{sys.executable} -m {PROGRAM}"


def announce_compilation(module: str) -> None:
    """Warns that the user must wait if the kernels of a module are not compiled yet."""
    from hyperbaton.foundation.kernels import is_compiled

    if not is_compiled(module):
        say(COMPILING)


@contextmanager
def beside_progress(text: Callable[[], str]) -> Iterator[None]:
    """Lines of progress end with the text, whoever reports."""
    _beside.append(text)
    try:
        yield
    finally:
        _beside.remove(text)


@contextmanager
def progress_line() -> Iterator[Progress]:
    """A callback that updates one line on the terminal, or writes lines now and then elsewhere.

    The rate is measured from the first report on the same kind of work, which shows no rate.
    """
    with _status() if sys.stderr.isatty() else _lines() as show:
        opened = time.monotonic()
        kind, began, first = "", opened, 0

        def report(what: str, done: int) -> None:
            nonlocal kind, began, first
            now = time.monotonic()
            if what != kind or done < first:  # the same work may be done again
                kind, began, first = what, now, done
            if done and now - opened < PATIENCE:
                return  # work that only announces itself (done = 0) may be silent for a long time
            count = f": {done:,}" if done else ""
            rate = f" ({(done - first) / (now - began):,.0f}/s)" if done and now > began else ""
            show(" | ".join([f"{what}{count}{rate}", *(text() for text in _beside)]))

        yield report


@contextmanager
def reporting(*, resumes: bool = False) -> Iterator[Reporter]:
    """Messages and a line of progress on stderr; work that `resumes` says so when it is stopped."""
    try:
        with progress_line() as progress:
            yield Reporter(say, progress)
    except KeyboardInterrupt:
        if resumes:
            say("stopped; the same command goes on from here")
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
    """Writes the latest text as a line after every interval, unless it is still the same.

    A thread does that, because work may announce itself and then be silent for a long time.
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
