"""The command line: finds the command, runs it, and returns an exit code.

0: success. 1: the data or the task failed. 2: wrong usage. 128 + n: stopped by signal n, so 130
after Ctrl-C. A closed pipe (`| head`) is not a failure. Only the requested command is imported, and
no command imports heavy modules at its top, so that `--help` answers at once; a test checks that.
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

SIGNALLED = 128  # plus the signal number, as in shells
INTERRUPTED = SIGNALLED + signal.SIGINT

try:
    import click
    from click.shell_completion import shell_complete

    from hyperbaton.console import complain
    from hyperbaton.foundation.errors import DataError, HyperbatonError, nearest, reason
    from hyperbaton.foundation.work.garbage import collect_rarely
except KeyboardInterrupt:  # before `main` can handle it
    sys.exit(INTERRUPTED)

PROGRAM = "hyperbaton"
COMPLETION = "_HYPERBATON_COMPLETE"  # set by shells that request completions
GROUPS = {  # commands by purpose, each as module:command
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
LONGEST_SUMMARY = 60  # characters of a command's summary in the list of commands


@dataclass
class State:
    """Options accepted before or after the name of the command."""

    debug: bool = False


def _switch_debug_on(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.ensure_object(State).debug |= value


def _debug_option() -> click.Option:
    return click.Option(
        ["--debug"],
        is_flag=True,
        expose_value=False,
        callback=_switch_debug_on,
        help="Show tracebacks of errors.",
    )


class Commands(click.Group):
    """Imports commands on demand; suggests the nearest name for an unknown one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module, _, attribute = COMMANDS[cmd_name].partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            subcommands = command.commands.values() if isinstance(command, click.Group) else ()
            for debuggable in (command, *subcommands):
                debuggable.params.append(_debug_option())
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
            raise click.UsageError(f"{name!r} is now called: hyperbaton {RENAMED[name]}", ctx)
        if name not in known and not name.startswith("-"):
            advice = nearest(name, known)
            raise click.UsageError(f"unknown command {name!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    cls=Commands,
    epilog="See 'hyperbaton COMMAND --help' for more. Data goes to stdout, messages to stderr.",
)
@click.version_option(
    package_name=PROGRAM, message="%(package)s %(version)s", help="Print the version and exit."
)
def cli() -> None:
    """Phrase-based machine translation whose point is word order."""


cli.params.append(_debug_option())


class _Stop(KeyboardInterrupt):
    """A signal was received that would end the process without cleanup."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = SIGNALLED + number


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the process."""
    collect_rarely()
    atexit.register(gc.freeze)  # saves the last collection at exit, a quarter of a second
    state = State()
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(_guarded(lambda: _run(given, state), state))


def _run(arguments: Sequence[str], state: State) -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup sets SIG_IGN
            signal.signal(number, _stop)
    _prepare_streams()
    if COMPLETION in os.environ:  # a shell requests completions
        return shell_complete(cli, {}, PROGRAM, COMPLETION, os.environ[COMPLETION])
    try:
        # click's main() would treat a broken pipe as a failure
        with cli.make_context(PROGRAM, list(arguments), obj=state) as context:
            cli.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    finally:
        sys.stdout.flush()  # here, where a broken pipe is still handled
    return 0


def _stop(number: int, _frame: FrameType | None) -> None:
    """Stops the work as Ctrl-C does: child processes and temporary files are cleaned up first."""
    raise _Stop(number)


def _prepare_streams() -> None:
    # Reading or writing a stream that the caller closed (`>&-`) is a system error; only messages
    # are dropped silently. Without this, the next file opened would become standard output.
    for name, mode, access in (
        ("stdin", "r", os.O_WRONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, access)
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))
    # The terminal's locale must not change the data. File names may hold any bytes.
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=errors)


def _guarded(run: Callable[[], int], state: State) -> int:
    """Runs, and turns every exception into an exit code."""
    try:
        return run()
    except KeyboardInterrupt as stop:
        return _stopped(stop)
    except BrokenPipeError:
        _can_flush(sys.stdout)
        return 0
    except Exception as error:
        with suppress(OSError):
            return _explain(error, state)
        _can_flush(sys.stderr)  # the error cannot be printed
        return 1


def _explain(error: Exception, state: State) -> int:
    """Prints an error and returns the exit code."""
    if isinstance(error, click.ClickException):
        error.show()
        return 2
    if isinstance(error, OSError):  # not turned into a more precise error before
        where = str(error.filename or "") if _can_flush(sys.stdout) else "standard output"
        error = DataError(reason(error), where=where)
    if state.debug:
        traceback.print_exc()
    if isinstance(error, HyperbatonError):
        complain(str(error))
        return error.exit_code
    stop = next((cause for cause in _causes(error) if isinstance(cause, KeyboardInterrupt)), None)
    if stop:  # compiled code wraps Ctrl-C in another error
        return _stopped(stop)
    from hyperbaton.foundation.catalogue import plug_in_error

    of_plug_in = plug_in_error(error)
    if of_plug_in:
        complain(str(of_plug_in))
        return of_plug_in.exit_code
    complain(
        f"unexpected {type(error).__name__}: {error}\n"
        "  this is a bug in hyperbaton; run the command again with --debug and report it"
    )
    return 1


def _stopped(stop: KeyboardInterrupt) -> int:
    return stop.exit_code if isinstance(stop, _Stop) else INTERRUPTED


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__ or error.__context__
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _can_flush(stream: TextIO) -> bool:
    """Flushes a stream; one that fails is redirected to the null device, so that Python's flush at
    exit does not fail too."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True
