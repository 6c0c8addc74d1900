"""One name, one meaning: options that several commands have are in one list, and of one kind."""

import re
from collections import defaultdict

import click

from hyperbaton.commands.option_names import SHARED
from hyperbaton.main import COMMANDS, GROUPS, LONGEST_SUMMARY, cli
from tests import command_line
from tests.test_advice import all_commands, command_of


def options():
    """Every option with all its appearances."""
    found = defaultdict(dict)
    for name in all_commands():
        for one in command_of(name).params:
            if isinstance(one, click.Option) and one.name != "debug":
                found[max(one.opts, key=len)][name] = one
    return found


def test_names_with_several_users_have_one_meaning():
    several = {name: own for name, own in options().items() if len(own) > 1}
    assert set(several) == set(SHARED)
    for name, own in several.items():
        assert len({one.is_flag for one in own.values()}) == 1, name
        kinds = {one.type.to_info_dict()["param_type"] for one in own.values()}
        assert len({kind.removesuffix("Range") for kind in kinds} - {"Choice", "String"}) <= 1, name


def test_outputs_have_a_short_name():
    for name in ("--out",):
        assert all("-o" in one.opts for one in options()[name].values())


def test_the_list_of_commands_has_groups_and_whole_summaries():
    shown = command_line.run("--help").stdout
    assert "..." not in shown.split("Start:")[1]
    for group, names in GROUPS.items():
        assert f"\n{group}:\n" in shown
        for name in names:
            summary = command_of(name).get_short_help_str(1000)
            assert len(summary) <= LONGEST_SUMMARY, summary
            assert summary in shown
    assert set(COMMANDS) == set(cli.list_commands(click.Context(cli)))


def test_examples_fit_a_terminal():
    for name in all_commands():
        for paragraph in re.findall(r"\x08\n(.*?)(?:\n\n|\Z)", command_of(name).help, re.DOTALL):
            for line in paragraph.splitlines():
                assert len(line) <= 78, line  # and two spaces before it


def test_options_stand_under_headings():
    shown = command_line.run("translate", "--help").stdout
    order = ["Output:", "  -o, --out", "Input:", "  --tokenised", "Search:", "Constraints:"]
    places = [shown.index(text) for text in [*order, "Machine:", "  --threads", "Options:"]]
    assert places == sorted(places)
    assert shown.count("--threads") == 1
