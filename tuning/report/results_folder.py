"""The results folder of a comparison: tables, the experiments of its preset, the report."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.tuning.comparison.configuration import Configuration, check
from hyperbaton.tuning.comparison.result_tables import write_files
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Finding, with_caveat
from hyperbaton.tuning.report.report import report
from hyperbaton.tuning.reproduction.exhibit import Exhibit
from hyperbaton.tuning.reproduction.making import FILE as EXHIBITS
from hyperbaton.tuning.reproduction.making import make_exhibits
from hyperbaton.tuning.reproduction.presets import Preset, apply_preset, find_preset
from hyperbaton.tuning.reproduction.presets import findings as check_claims

REPORT = "report.html"


def complete(
    configuration: Configuration,
    preset: str | None = None,
    replicas: int | None = None,
    method: str | None = None,
) -> Configuration:
    """Completes a configuration by its preset and all defaults, and checks it."""
    tune = configuration.tune
    tune = replace(tune, replicas=replicas or tune.replicas, method=method or tune.method)
    configuration = replace(configuration, tune=tune)
    preset = preset or configuration.preset
    if preset:
        configuration = apply_preset(configuration, preset)
    return check(configuration)


def preset_of(comparison: Comparison) -> Preset | None:
    name = comparison.configuration.preset
    return find_preset(name) if name else None


def paper_tables(comparison: Comparison) -> list[Table]:
    """The tables of the preset's paper; none without a preset."""
    preset = preset_of(comparison)
    return preset.tables() if preset else []


def findings_of(comparison: Comparison) -> list[Finding]:
    preset = preset_of(comparison)
    return check_claims(comparison, preset.claim) if preset else []


def write_results(
    comparison: Comparison,
    findings: Sequence[Finding],
    folder: Path,
    threads: int = 2,
    reporter: Reporter = SILENT,
) -> tuple[list[Exhibit], list[Path]]:
    """Writes all results; returns the exhibits, with the paper's figures, and the files."""
    files, preset = write_files(comparison, folder), preset_of(comparison)
    exhibits: list[Exhibit] = []
    if preset and preset.exhibits:
        bare = make_exhibits(comparison, preset.exhibits, folder, threads, reporter)
        exhibits = [
            replace(
                exhibit,
                findings=with_caveat(exhibit.findings, comparison.configuration.note),
                figures=preset.tables(exhibit.name),
            )
            for exhibit in bare
        ]
    else:
        (folder / EXHIBITS).unlink(missing_ok=True)  # of an earlier run
    with open_to_write(folder / REPORT) as stream:
        stream.write(report(comparison, findings, paper_tables(comparison), exhibits).encode())
    return exhibits, [*files, *[folder / EXHIBITS] * bool(exhibits), folder / REPORT]
