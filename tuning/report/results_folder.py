"""The results folder of a comparison: tables, the experiments of its preset, the report."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.progress import Progress, Talk
from hyperbaton.tuning.comparison.configuration import Configuration, check
from hyperbaton.tuning.comparison.result_tables import write_files
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.evaluation.verdicts import Finding, with_caveat
from hyperbaton.tuning.report.report import report
from hyperbaton.tuning.reproduction.exhibit import Exhibit
from hyperbaton.tuning.reproduction.making import FILE as EXHIBITS
from hyperbaton.tuning.reproduction.making import make_exhibits
from hyperbaton.tuning.reproduction.papers import PAPERS, Paper, findings
from hyperbaton.tuning.reproduction.presets import PRESETS, apply_preset

REPORT = "report.html"


def complete(
    configuration: Configuration,
    preset: str | None = None,
    replicas: int | None = None,
    method: str | None = None,
) -> Configuration:
    """The configuration with the additions of its preset and all defaults; refuses a wrong one."""
    tune = configuration.tune
    tune = replace(tune, replicas=replicas or tune.replicas, method=method or tune.method)
    configuration = replace(configuration, tune=tune)
    preset = preset or configuration.preset
    if preset:
        configuration = apply_preset(configuration, preset)
    return check(configuration)


def paper_of(comparison: Comparison) -> Paper:
    """What the paper behind the preset reports; nothing without a preset."""
    return PAPERS.get(comparison.configuration.preset, Paper((), ()))


def findings_of(comparison: Comparison) -> list[Finding]:
    """Which of the paper's claims hold."""
    return findings(comparison, paper_of(comparison).claims)


def write_results(
    comparison: Comparison,
    found: Sequence[Finding],
    folder: Path,
    threads: int = 2,
    talk: Talk = lambda _: None,
    progress: Progress | None = None,
) -> tuple[list[Exhibit], list[Path]]:
    """Writes everything; returns the exhibits, with the paper's figures, and the files."""
    paper, preset = paper_of(comparison), comparison.configuration.preset
    files = write_files(comparison, folder)
    made: list[Exhibit] = []
    if preset and PRESETS[preset].exhibits:
        names = PRESETS[preset].exhibits
        made = make_exhibits(comparison, names, folder, threads, talk, progress)
    else:
        (folder / EXHIBITS).unlink(missing_ok=True)  # of an earlier run
    exhibits = [
        replace(
            exhibit,
            findings=with_caveat(exhibit.findings, comparison.configuration.note),
            figures=paper.exhibits.get(exhibit.name, ()),
        )
        for exhibit in made
    ]
    with open_to_write(folder / REPORT) as stream:
        stream.write(report(comparison, found, paper.tables, exhibits).encode())
    return exhibits, [*files, *[folder / EXHIBITS] * bool(exhibits), folder / REPORT]
