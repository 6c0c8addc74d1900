"""Writes docs/reference/commands.md, the reference of all commands, from their help.

python -m tools.command_reference
"""

from collections.abc import Iterator
from pathlib import Path

import click

from hyperbaton.commands.option_names import SHARED
from hyperbaton.main import GROUPS, cli

PLACE = Path(__file__).parent.parent / "docs/reference/commands.md"
WIDTH = 1000  # so that help is not wrapped


def reference() -> str:
    return "\n".join([*_head(), *_commands(), *_shared()]) + "\n"


def _head() -> list[str]:
    return [
        "# All commands and options",
        "",
        "Generated from the help of the commands by `python -m tools.command_reference`; do not "
        "edit.",
        "",
    ]


def _commands() -> Iterator[str]:
    context = click.Context(cli, info_name="hyperbaton")
    for group, names in GROUPS.items():
        yield from (f"## {group}", "")
        for name in names:
            command = cli.get_command(context, name)
            assert command is not None
            if not isinstance(command, click.Group):
                yield from _command(name, command, context)
                continue
            for inner, subcommand in command.commands.items():
                yield from _command(f"{name} {inner}", subcommand, context)


def _command(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH)
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (f"### hyperbaton {name}", "", command.get_short_help_str(WIDTH), "")
    yield from (f"`hyperbaton {name} {usage}`", "", "| option | meaning |", "|---|---|")
    for option in command.params:
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is not None and option.name != "debug":
            left, right = (text.replace("|", "\\|") for text in record)
            yield f"| `{left}` | {right} |"
    yield ""


def _shared() -> Iterator[str]:
    yield from ("## Options of several commands", "", "| option | meaning |", "|---|---|")
    for name, meaning in SHARED.items():
        escaped = meaning.replace("|", "\\|")
        yield f"| `{name}` | {escaped} |"


if __name__ == "__main__":
    PLACE.write_text(reference(), encoding="utf-8")
