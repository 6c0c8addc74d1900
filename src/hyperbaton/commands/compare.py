"""`hyperbaton compare`: trains, tunes, tests and compares systems in one run."""

from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.far_workers import far_workers
from hyperbaton.commands.parameters import (
    POSITIVE,
    Command,
    argument,
    cluster_option,
    command,
    option,
    threads_option,
)
from hyperbaton.console import announce_compilation, reporting, say

if TYPE_CHECKING:
    from hyperbaton.foundation.work.workers import Workers
    from hyperbaton.tuning.comparison.configuration import Configuration
    from hyperbaton.tuning.comparison.results import Comparison

# Names that are defined in other modules too, which are too heavy to import for --help
PRESETS = ("goto", "ni", "xiang", "alrajeh", "durrani", "attention", "all")
SAMPLES = ("ja-en", "zh-en")


@dataclass(frozen=True, kw_only=True)
class Compare(Command):
    """Train, tune and compare systems, and write a report.

    \b
    hyperbaton compare comparison.toml --out comparison
    hyperbaton compare --preset goto --sample ja-en

    CONFIG names the data, the systems (sets of distortion models) and the distortion limits; see
    docs/use/compare.md. The output folder keeps all results: a stopped run resumes where it was,
    and after a change in CONFIG only the changed parts are computed.
    """

    config: Path | None = argument()
    preset: str | None = option(
        "Systems and limits from a paper, where CONFIG does not set them.",
        type=click.Choice(PRESETS),
    )
    sample: str | None = option("Use an embedded sample as data.", type=click.Choice(SAMPLES))
    replicas: int | None = option("Number of tuning runs per system and limit.", type=POSITIVE)
    method: str | None = option("Tuning method: mert, mira, …  [default: CONFIG's or the preset's]")
    out: Path | None = option(
        "Output folder.  [default: named after CONFIG or the sample]", "-o", "--out"
    )
    threads: int = threads_option()
    cluster: str | None = cluster_option()

    def run(self) -> None:
        from hyperbaton.samples import sample_configuration
        from hyperbaton.tuning.comparison.configuration import read_configuration
        from hyperbaton.tuning.report.results_folder import complete

        if (self.config is None) == (self.sample is None):
            raise click.UsageError("give either CONFIG or --sample")
        preset = self.preset
        if self.config is not None:
            configuration, place = read_configuration(self.config), self.config.stem
        else:
            assert self.sample is not None
            preset = preset or "all"
            configuration, place = sample_configuration(self.sample), f"{self.sample}-{preset}"
        configuration = complete(configuration, preset, self.replicas, self.method)
        with far_workers(self.cluster) as workers:
            run_comparison(configuration, self.out or Path(place), self.threads, workers)


compare = command(Compare)


def run_comparison(
    configuration: "Configuration", out: Path, threads: int, workers: "Workers | None" = None
) -> "Comparison":
    """Runs a comparison, prints its tables and findings, and writes all results to `out`."""
    from hyperbaton.foundation.progress import duration
    from hyperbaton.foundation.work.process_usage import used_by_all
    from hyperbaton.tuning.comparison.run import compare
    from hyperbaton.tuning.evaluation.verdicts import footnote
    from hyperbaton.tuning.report.results_folder import findings_of, write_results
    from hyperbaton.tuning.reproduction.exhibit import exhibit_text

    announce_compilation("hyperbaton.decoder.search")
    began, (before, _) = monotonic(), used_by_all()
    with reporting(resumes=True) as reporter:
        comparison = compare(configuration, out, threads, reporter, workers)
    _print_scores(comparison)
    findings = findings_of(comparison)
    for line in [*(finding.line for finding in findings), *filter(None, [footnote(findings)])]:
        click.echo(line)
    with reporting(resumes=True) as reporter:
        exhibits, files = write_results(comparison, findings, out, threads, reporter)
    for exhibit in exhibits:
        click.echo("\n" + exhibit_text(exhibit))
    say("written: " + " ".join(map(str, files)))
    used, peak = used_by_all()
    took, busy = duration(monotonic() - began), duration(used - before)
    say(f"took {took} ({busy} of processor time), at most {peak:,.0f} MB per process")
    return comparison


def _print_scores(comparison: "Comparison") -> None:
    """Prints the score tables, then those of the paper."""
    from hyperbaton.tuning.comparison.result_tables import tables_of
    from hyperbaton.tuning.evaluation.tables import as_text
    from hyperbaton.tuning.report.results_folder import paper_tables

    tables = [table for test in comparison.tests for table in tables_of(comparison, test.name)]
    for table in (*tables, *paper_tables(comparison)):
        click.echo(as_text(table) + "\n")
