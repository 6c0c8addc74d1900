"""All commands and their options, from their help."""

from collections.abc import Iterator

import click

from hyperbaton.commands.option_names import SHARED
from hyperbaton.main import GROUPS, cli
from tools.reference.markdown import MADE, table

OPTIONS = ("option", "meaning")
WIDTH = 1000  # help is not broken into lines


def commands_page() -> Iterator[str]:
    yield from ("# All commands and options", "", MADE, "")
    yield from _commands()
    yield from _shared()


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
            for inner, made in command.commands.items():
                yield from _command(f"{name} {inner}", made, context)


def _command(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH)
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (f"### hyperbaton {name}", "", command.get_short_help_str(WIDTH), "")
    yield from (f"`hyperbaton {name} {usage}`", "")
    options = [one for one in command.params if isinstance(one, click.Option)]
    records = [one.get_help_record(context) for one in options if one.name != "debug"]
    yield from table(OPTIONS, [(f"`{left}`", right) for left, right in filter(None, records)])


def _shared() -> Iterator[str]:
    yield from ("## Options of several commands", "")
    yield from table(OPTIONS, [(f"`{name}`", meaning) for name, meaning in SHARED.items()])
