"""The work behind `hyperbaton compare`: runs a comparison, prints its tables, writes its files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from hyperbaton.console import progress_line, say
from hyperbaton.kernels import announce_compilation
from hyperbaton.samples import sample_files, sample_references
from hyperbaton.views.derivation_svg import derivation_svg
from models.writing import open_to_write
from tuning.comparison.configuration import Configuration, TrainingData, check
from tuning.comparison.result_tables import limits_table, summary_table, write_files
from tuning.comparison.results import Comparison, Output
from tuning.comparison.run import compare
from tuning.evaluation.data_sets import DataSet
from tuning.evaluation.tables import as_text
from tuning.report.report import report
from tuning.reproduction.exhibit import Exhibit, exhibit_text
from tuning.reproduction.making import FILE as EXHIBITS
from tuning.reproduction.making import make_exhibits
from tuning.reproduction.papers import PAPERS, Paper, findings
from tuning.reproduction.presets import PRESETS, apply_preset

REPORT = "report.html"


def run_comparison(
    configuration: Configuration,
    out: Path,
    threads: int,
    preset: str | None = None,
    replicas: int | None = None,
) -> Comparison:
    """Prints tables on standard output, talks on standard error, fills the folder `out`."""
    preset = preset or configuration.preset
    if preset:
        configuration = apply_preset(configuration, preset)
    if replicas is not None:
        configuration = replace(configuration, tune=replace(configuration.tune, replicas=replicas))
    configuration = check(configuration)
    announce_compilation("decoder.search")
    with progress_line() as progress:
        comparison = compare(configuration, out, threads, say, progress)
    for test in comparison.tests:
        click.echo(as_text(summary_table(comparison, test.name)) + "\n")
        if len(comparison.limits) > 1:
            click.echo(as_text(limits_table(comparison, test.name)) + "\n")
    paper = PAPERS.get(preset, Paper((), ()))
    for table in paper.tables:
        click.echo(as_text(table) + "\n")
    found = findings(comparison, paper.claims)
    for finding in found:
        click.echo(finding.line)
    files = write_files(comparison, out)
    exhibits = _exhibits(comparison, preset, paper, out, threads)
    for exhibit in exhibits:
        click.echo("\n" + exhibit_text(exhibit))
    files += [out / EXHIBITS] * bool(exhibits)
    with open_to_write(out / REPORT) as stream:
        stream.write(report(comparison, draw_output, found, paper.tables, exhibits).encode())
    say("written: " + " ".join(map(str, [*files, out / REPORT])))
    return comparison


def _exhibits(
    comparison: Comparison, preset: str, paper: Paper, out: Path, threads: int
) -> list[Exhibit]:
    """The preset's other experiments, with the paper's figures beside them."""
    names = PRESETS[preset].exhibits if preset else ()
    if not names:
        (out / EXHIBITS).unlink(missing_ok=True)  # of an earlier run
        return []
    with progress_line() as progress:
        made = make_exhibits(comparison, names, out, threads, say, progress)
    return [replace(exhibit, figures=paper.exhibits.get(exhibit.name, ())) for exhibit in made]


def sample_configuration(name: str) -> Configuration:
    """The data of an embedded sample, with tags and trees."""
    train = sample_files(name)
    parts = {part: sample_files(name, part) for part in ("dev", "test")}
    dev, test = (
        DataSet(
            files.source,
            sample_references(name, part),
            part,
            files.alignment,
            files.source_tags,
            files.source_tree,
        )
        for part, files in parts.items()
    )
    return Configuration(TrainingData(**vars(train)), dev, (test,))


@dataclass(frozen=True)
class _Step:
    source: tuple[int, int]
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    jump: int


@dataclass(frozen=True)
class _Derivation:
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    steps: tuple[_Step, ...]
    links: tuple[tuple[int, int], ...]


def draw_output(source: Sequence[str], output: Output) -> str:
    """A translation as a small picture."""
    target = tuple(output.text.split())
    steps, previous_end = [], 0
    for start, end, target_start, target_end in output.spans:
        words = tuple(source[start:end]), target[target_start:target_end]
        steps.append(_Step((start, end), *words, start - previous_end))
        previous_end = end
    links = tuple((int(a), int(b)) for a, b in output.links)
    return derivation_svg(_Derivation(tuple(source), target, tuple(steps), links))
