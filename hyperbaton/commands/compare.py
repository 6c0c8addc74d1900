"""`hyperbaton compare`: systems against each other, tuned and tested in one run."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE, threads_option


@click.command()
@click.argument("config", type=FILE)
@click.option(
    "--out",
    type=FILE,
    help="Folder for everything that is made.  [default: named after CONFIG]",
)
@threads_option
def compare(config: Path, out: Path | None, threads: int) -> None:
    """Compare systems: train, tune, translate, score and test them, and write a report.

    \b
    hyperbaton compare comparison.toml --out comparison

    CONFIG names the data, the systems (sets of distortion models) and the distortion limits; see
    docs/compare.md. All that is made is kept in the folder: a run that is stopped goes on where it
    was, and after a change in CONFIG only what is new is done.
    """
    from hyperbaton.comparison import run_comparison
    from tuning.comparison.configuration import read_configuration

    run_comparison(read_configuration(config), out or Path(config.stem), threads)
