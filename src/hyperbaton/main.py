"""The command line: finds the command, runs it, and turns every ending into an exit code.

0: done. 1: the data or the task failed. 2: wrong usage. 128 + n: stopped by signal n, so 130 after
Ctrl-C. A reader that goes away (`| head`) is not a failure. Commands are found by name, and only
the requested one is imported. None imports anything heavy at its top, so that `--help` answers at
once; a test checks that.
"""

import atexit
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from types import FrameType
from typing import TextIO

SIGNALLED = 128  # plus the number of the signal, as shells count
INTERRUPTED = SIGNALLED + signal.SIGINT
# Objects made before Python looks for garbage. Numba makes many that stay: looking as often as
# usual takes a second of the ten that a first translation compiles.
GARBAGE = 1_000_000

try:
    import click
    from click.shell_completion import shell_complete

    from hyperbaton.console import complain
    from hyperbaton.foundation.errors import DataError, HyperbatonError, nearest, reason
except KeyboardInterrupt:  # before there is a `main` that could handle it
    sys.exit(INTERRUPTED)

PROGRAM = "hyperbaton"
COMPLETION = "_HYPERBATON_COMPLETE"  # set by shells that ask for completions
GROUPS = {  # commands by what they are for, each as module:command
    "Start": {
        "demo": "hyperbaton.commands.demo:demo",
        "serve": "hyperbaton.commands.serve:serve",
    },
    "Data": {
        "prepare": "hyperbaton.commands.prepare:prepare",
        "align": "hyperbaton.commands.align:align",
        "corpus": "hyperbaton.commands.corpus:corpus",
        "trees": "hyperbaton.commands.trees:trees",
        "sample": "hyperbaton.commands.sample:sample",
    },
    "Build": {
        "train": "hyperbaton.commands.train:train",
        "tune": "hyperbaton.commands.tune:tune",
        "prune": "hyperbaton.commands.prune:prune",
        "compile": "hyperbaton.commands.compile:compile_all",
    },
    "Use": {
        "translate": "hyperbaton.commands.translate:translate",
        "explain": "hyperbaton.commands.explain:explain",
        "rerank": "hyperbaton.commands.rerank:rerank",
    },
    "Judge": {
        "evaluate": "hyperbaton.commands.evaluate:evaluate",
        "compare": "hyperbaton.commands.compare:compare",
        "diagnose": "hyperbaton.commands.diagnose:diagnose",
        "study": "hyperbaton.commands.study:study",
    },
    "Exchange": {
        "import": "hyperbaton.commands.moses:import_system",
        "export": "hyperbaton.commands.moses:export_system",
        "check": "hyperbaton.commands.check:check",
        "info": "hyperbaton.commands.info:info",
    },
}
COMMANDS = {name: place for group in GROUPS.values() for name, place in group.items()}
RENAMED = {  # names of earlier versions
    "parse": "trees",
    "models": "info",
    "features": "info SYSTEM --learned FAMILY",
    "next-word": "study next-word",
    "classify": "study learners",
    "oracle-bleu": "diagnose --oracle-bleu",
    "consensus": "rerank --mbr",
}
LONGEST_SUMMARY = 60  # letters of a command's line in the list of commands


@dataclass
class State:
    """Options that may be given before or after the name of the command."""

    debug: bool = False


def _switch_debug_on(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.ensure_object(State).debug |= value


def _debug_option() -> click.Option:
    return click.Option(
        ["--debug"],
        is_flag=True,
        expose_value=False,
        callback=_switch_debug_on,
        help="Show a traceback with errors.",
    )


class Commands(click.Group):
    """Finds commands on request; for an unknown one, suggests the nearest."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module, _, attribute = COMMANDS[cmd_name].partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            inner = command.commands.values() if isinstance(command, click.Group) else ()
            for own in (command, *inner):
                own.params.append(_debug_option())
            self.add_command(command, cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for group, names in GROUPS.items():
            commands = {name: self.get_command(ctx, name) for name in names}
            rows = [
                (name.ljust(width), command.get_short_help_str(LONGEST_SUMMARY))
                for name, command in commands.items()
                if command
            ]
            with formatter.section(group):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        known = self.list_commands(ctx)
        if name in RENAMED:
            raise click.UsageError(f"{name!r} is now: hyperbaton {RENAMED[name]}", ctx)
        if name not in known and not name.startswith("-"):
            advice = nearest(name, known)
            raise click.UsageError(f"there is no command {name!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    cls=Commands,
    epilog="See 'hyperbaton COMMAND --help' for more. Data on stdout, everything else on stderr.",
)
@click.version_option(
    package_name=PROGRAM, message="%(package)s %(version)s", help="Print the version and stop."
)
def cli() -> None:
    """Phrase-based translation whose point is word order."""


cli.params.append(_debug_option())


class _Stop(KeyboardInterrupt):
    """A signal was received that would end the process without cleanup."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = SIGNALLED + number


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the process."""
    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)  # or Python searches all of it once more, for a quarter of a second
    state = State()
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(_guarded(lambda: _run(given, state), state))


def _run(arguments: Sequence[str], state: State) -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores it
            signal.signal(number, _stop)
    _prepare_streams()
    if COMPLETION in os.environ:  # a shell asks what may follow
        return shell_complete(cli, {}, PROGRAM, COMPLETION, os.environ[COMPLETION])
    try:
        # click's own main() would call a broken pipe a failure
        with cli.make_context(PROGRAM, list(arguments), obj=state) as context:
            cli.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    finally:
        sys.stdout.flush()  # here, where a broken pipe is still ours to handle
    return 0


def _stop(number: int, _frame: FrameType | None) -> None:
    """Ends the work as Ctrl-C does: child processes and temporary files go first."""
    raise _Stop(number)


def _prepare_streams() -> None:
    # Using a stream that the caller has closed (`>&-`) is a system error; only messages are
    # dropped silently. Without these, the next file opened would become standard output.
    for name, mode, access in (
        ("stdin", "r", os.O_WRONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, access)
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))
    # The terminal's locale must not change our data. File names may be any bytes.
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=errors)


def _guarded(run: Callable[[], int], state: State) -> int:
    """The exit code of a run, whatever happens in it."""
    try:
        return run()
    except KeyboardInterrupt as stop:
        return _stopped(stop)
    except BrokenPipeError:
        _takes_the_rest(sys.stdout)
        return 0
    except Exception as error:
        with suppress(OSError):
            return _explain(error, state)
        _takes_the_rest(sys.stderr)  # there is nobody to tell
        return 1


def _explain(error: Exception, state: State) -> int:
    """Tells what went wrong; the exit code."""
    if isinstance(error, click.ClickException):
        error.show()
        return 2
    if isinstance(error, OSError):  # nobody on the way knew more about it
        where = str(error.filename or "") if _takes_the_rest(sys.stdout) else "standard output"
        error = DataError(reason(error), where=where)
    if state.debug:
        traceback.print_exc()
    if isinstance(error, HyperbatonError):
        complain(str(error))
        return error.exit_code
    stop = next((cause for cause in _causes(error) if isinstance(cause, KeyboardInterrupt)), None)
    if stop:  # compiled code turns it into an error of its own
        return _stopped(stop)
    from hyperbaton.foundation.catalogue import plug_in_error

    theirs = plug_in_error(error)
    if theirs:
        complain(str(theirs))
        return theirs.exit_code
    complain(
        f"unexpected {type(error).__name__}: {error}\n"
        "  this is a defect of hyperbaton; run the command again with --debug and report it"
    )
    return 1


def _stopped(stop: KeyboardInterrupt) -> int:
    return stop.exit_code if isinstance(stop, _Stop) else INTERRUPTED


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__ or error.__context__
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _takes_the_rest(stream: TextIO) -> bool:
    """Whether a stream accepts its remaining output; if not, it is redirected, so that Python's own
    flush at exit does not fail as well."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True
