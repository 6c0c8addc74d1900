"""`hyperbaton import`: a Moses system becomes one of ours."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE


@click.command("import")
@click.argument("ini", type=FILE, metavar="MOSES.INI")
@click.option("--out", type=FILE, required=True, help="Folder of the system; made if missing.")
def import_moses(ini: Path, out: Path) -> None:
    """Make a system from a Moses configuration.

    \b
    hyperbaton import moses.ini --out model

    Reads the phrase table (text or gz), the lexicalised reordering table, the language model (ARPA
    or KenLM binary), weights and distortion limit. What else the file holds is named and left out.
    """
    from hyperbaton.console import progress_line, say
    from models.system import moses_exchange

    with progress_line() as progress:
        moses_exchange.import_moses(ini, out, say, progress)
    say(f"imported: {out}")
