"""The command line: finds the command, runs it, and turns every ending into an exit code.

0: done. 1: the data or the task failed. 2: wrong usage. 130: stopped with Ctrl-C. A reader that
goes away (`| head`) is no failure. Modules of commands import nothing heavy at their top, so that
`--help` answers at once; a test holds them to it.
"""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click
from click.shell_completion import shell_complete

from hyperbaton.commands import (
    align,
    corpus,
    demo,
    evaluate,
    export,
    import_moses,
    train,
    translate,
)
from models.errors import HyperbatonError, nearest

PROGRAM = "hyperbaton"
COMPLETION = "_HYPERBATON_COMPLETE"  # set by shells that ask for completions
INTERRUPTED = 130
COMMANDS = (
    demo.demo,
    corpus.corpus,
    align.align,
    train.train,
    translate.translate,
    evaluate.evaluate,
    import_moses.import_moses,
    export.export,
)


@dataclass
class State:
    """What options on any level have switched on."""

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


def _print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        from importlib.metadata import version

        click.echo(f"hyperbaton {version('hyperbaton')}")
        context.exit()


class Commands(click.Group):
    """A group whose error for an unknown command names the nearest one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            advice = nearest(name, list(self.commands))
            raise click.UsageError(f"there is no command {name!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    cls=Commands,
    epilog="'hyperbaton COMMAND --help' tells more. Data on stdout, everything else on stderr.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and stop.",
)
def cli() -> None:
    """Phrase-based translation whose point is word order."""


cli.params.append(_debug_option())
for _command in COMMANDS:
    _command.params.append(_debug_option())
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the process."""
    state = State()
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(_guarded(lambda: _run(given, state), state))


def _run(arguments: Sequence[str], state: State) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal's locale must not decide about our data
            stream.reconfigure(encoding="utf-8")
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


def _guarded(run: Callable[[], int], state: State) -> int:
    """The exit code of a run, whatever happens in it."""
    try:
        return run()
    except click.ClickException as error:
        error.show()
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Nobody reads any more: point stdout elsewhere so that the last flush cannot fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except HyperbatonError as error:
        if state.debug:
            traceback.print_exc()
        click.echo(f"hyperbaton: {error}", err=True)
        return error.exit_code
    except Exception as error:
        if state.debug:
            traceback.print_exc()
        name = type(error).__name__
        click.echo(
            f"hyperbaton: unexpected {name}: {error}\n"
            "  this is a defect of hyperbaton; run the command again with --debug and report it",
            err=True,
        )
        return 1
