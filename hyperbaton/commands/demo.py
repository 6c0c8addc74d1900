"""`hyperbaton demo`: the embedded samples, end to end."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE, threads_option


@click.command()
@click.option(
    "--out",
    type=FILE,
    default=Path("hyperbaton-demo"),
    show_default=True,
    help="Folder for everything that is made; a second run uses it again.",
)
@threads_option
def demo(out: Path, threads: int) -> None:
    """Compare reordering models on the two embedded samples, and explain a few translations.

    Trains, tunes and tests seven systems on each sample, prints their scores,
    shows how the best one came to its translations, and writes a report for the browser. The first
    run takes a few minutes on two cores.
    """
    from hyperbaton.demonstration import demonstrate
    from hyperbaton.samples import SAMPLES

    for name in SAMPLES:
        demonstrate(name, out / name, threads)
    first = out / SAMPLES[0]
    click.echo(
        "reports for your browser: " + " ".join(str(out / n / "report.html") for n in SAMPLES)
    )
    click.echo(f"try it yourself: hyperbaton translate {first}/best")
