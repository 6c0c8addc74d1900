"""Options that several commands share."""

from pathlib import Path

import click

# Existence is checked by whoever opens the file, with a message that knows what is near.
FILE = click.Path(path_type=Path)

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
