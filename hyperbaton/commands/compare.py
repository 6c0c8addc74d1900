"""`hyperbaton compare`: systems against each other, tuned and tested in one run."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE, threads_option

PRESETS = ("goto", "ni", "xiang", "alrajeh", "all")
SAMPLES = ("ja-en", "zh-en")


@click.command()
@click.argument("config", type=FILE, required=False)
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help="Systems and limits of a paper's table, where CONFIG has none of its own.",
)
@click.option("--sample", type=click.Choice(SAMPLES), help="Data: an embedded sample.")
@click.option("--replicas", type=click.IntRange(min=1), help="Tuning runs of each cell.")
@click.option(
    "--out",
    type=FILE,
    help="Folder for everything that is made.  [default: named after CONFIG or the sample]",
)
@threads_option
def compare(
    config: Path | None,
    preset: str | None,
    sample: str | None,
    replicas: int | None,
    out: Path | None,
    threads: int,
) -> None:
    """Compare systems: train, tune, translate, score and test them, and write a report.

    \b
    hyperbaton compare comparison.toml --out comparison
    hyperbaton compare --preset goto --sample ja-en

    CONFIG names the data, the systems (sets of distortion models) and the distortion limits; see
    docs/compare.md. All that is made is kept in the folder: a run that is stopped goes on where it
    was, and after a change in CONFIG only what is new is done.
    """
    from hyperbaton.comparison import run_comparison, sample_configuration
    from tuning.comparison.configuration import read_configuration

    if (config is None) == (sample is None):
        raise click.UsageError("give either CONFIG or --sample")
    if config is not None:
        configuration, place = read_configuration(config), Path(config.stem)
    else:
        assert sample is not None
        configuration = sample_configuration(sample)
        preset = preset or "all"
        place = Path(f"{sample}-{preset}")
    run_comparison(configuration, out or place, threads, preset, replicas)
