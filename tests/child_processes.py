"""Programs that tests start and stop: how they answer to signals, and waiting for what they do."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager

HEAVY = {
    "numpy",
    "scipy",
    "numba",
    "matplotlib",
    "rich",
    "sacrebleu",
    "kenlm",
    "sklearn",
    "eflomal",
}
PATIENCE = 120  # seconds; a busy machine is slow to start a program

_ANSWER = (
    "import os, signal, sys\n"
    "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):\n"
    "    signal.signal(number, signal.SIG_DFL)\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)


def answering_signals(command):
    """The command, with signals as a shell in a terminal leaves them.

    A process inherits which signals are ignored, and a suite that is started by nohup or in the
    background ignores some of those that its tests send.
    """
    return [sys.executable, "-c", _ANSWER, *map(str, command)]


@contextmanager
def started(command, **options):
    """A process that answers to signals, and that does not outlive its test."""
    with subprocess.Popen(answering_signals(command), **options) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(condition, process=None):
    """The first true answer; an error if the process ends before, or after a long time."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := condition()):
        assert process is None or process.poll() is None, "the process has ended"
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
    return answer


def wait_for_reader(pipe, process):
    """A descriptor to write to a named pipe, as soon as the process reads from it."""

    def opened():
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads
            return None

    return wait_until(opened, process)


def loaded_by(code):
    """The modules that a new process has loaded when the code is done."""
    show = "import sys; print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", f"{code}\n{show}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())
