"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class _File(click.Path):
    """A path. Existence is checked by whoever opens it, with a message that knows what is near."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("an empty name is not a file", param, ctx)
        return super().convert(value, param, ctx)


FILE = _File(path_type=Path)


class _Limit(click.ParamType[int]):
    """A distortion limit: a whole number, or inf for none."""

    name = "N|inf"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        if value in ("inf", "-1"):
            return -1
        try:
            number = int(str(value))
        except ValueError:
            number = -2
        if number < 0:
            self.fail(f"{value!r} is not a number of words or inf", param, ctx)
        return number


LIMIT = _Limit()

_CORPUS = {
    "--source": "Source text, one tokenised sentence a line.",
    "--target": "Target text, as many lines.",
    "--alignment": "Word alignment in Pharaoh format (0-0 1-2).",
    "--source-tags": "One tag per source word, or CoNLL-U.",
    "--target-tags": "One tag per target word, or CoNLL-U.",
    "--source-tree": "Source trees: PTB brackets, or CoNLL-U.",
}


def corpus_options(command: F) -> F:
    """The files of a parallel corpus."""
    for name, text in reversed(_CORPUS.items()):
        command = click.option(name, type=FILE, help=text)(command)
    return command


set_option = click.option(
    "--set",
    "assignments",
    metavar="SECTION.KEY=VALUE",
    multiple=True,
    help="Change a setting; may be given several times.",
)
skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Leave bad pairs out and count them, instead of stopping."
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Threads to use; results do not depend on it.",
)
