"""`hyperbaton export`: one of our systems in Moses' formats."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE


@click.command()
@click.argument("model", type=FILE)
@click.option("--out", type=FILE, required=True, help="Folder for the files; made if missing.")
def export(model: Path, out: Path) -> None:
    """Write a trained system as Moses' files.

    \b
    hyperbaton export model --out moses

    Writes phrase-table.gz, reordering-table.TYPE.gz, lm.arpa.gz and moses.ini.
    """
    from hyperbaton.console import say
    from models.system.moses_exchange import export_moses

    export_moses(model, out, say)
