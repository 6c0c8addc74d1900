"""The work behind `hyperbaton compare`: runs a comparison, prints its tables, names its files."""

from pathlib import Path

import click

from hyperbaton.console import progress_line, say
from hyperbaton.kernels import announce_compilation
from tuning.comparison.configuration import Configuration
from tuning.comparison.results import Comparison
from tuning.comparison.run import compare
from tuning.comparison.tables import limits_table, summary_table, write_files
from tuning.tables import as_text


def run_comparison(configuration: Configuration, out: Path, threads: int) -> Comparison:
    announce_compilation("decoder.search")
    with progress_line() as progress:
        comparison = compare(configuration, out, threads, say, progress)
    for test in comparison.tests:
        click.echo(as_text(summary_table(comparison, test.name)) + "\n")
        if len(comparison.limits) > 1:
            click.echo(as_text(limits_table(comparison, test.name)) + "\n")
    files = write_files(comparison, out)
    say("written: " + " ".join(map(str, files)))
    return comparison
