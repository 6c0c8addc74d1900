"""Produces the exhibits of a preset after its comparison; unchanged ones are reused.

Each exhibit is a stage: the name of its folder depends on all its inputs, and a killed run loses at
most one exhibit.
"""

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.models.system.stages import fingerprint, locked, run_stage
from hyperbaton.tuning.comparison.data import cut_out
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.reproduction import alrajeh, data_sizes, next_word, ni, xiang
from hyperbaton.tuning.reproduction.exhibit import (
    Exhibit,
    LeftOut,
    as_record,
    load_exhibit,
    records_text,
    save_exhibit,
)
from hyperbaton.tuning.reproduction.material import ExhibitKind, Material

FORMAT = 3
FILE = "exhibits.json"
STAGE = "exhibit_"
EXHIBIT_KINDS = {
    kind.name: kind
    for kind in (
        ni.KIND,
        ni.PAPER_KIND,
        data_sizes.KIND,
        alrajeh.KIND,
        next_word.KIND,
        xiang.JUMPS_KIND,
        xiang.SIBLINGS_KIND,
    )
}


def make_exhibits(
    comparison: Comparison,
    names: Iterable[str],
    folder: Path,
    threads: int = 2,
    reporter: Reporter = SILENT,
) -> list[Exhibit]:
    """Produces the exhibits that the data allow; a message explains why others are skipped."""
    exhibits = []
    with locked(folder):
        (folder / FILE).unlink(missing_ok=True)  # of an earlier run
        configuration = cut_out(comparison.configuration, folder / "data")
        material = Material(comparison, configuration, folder, threads, reporter)
        for name in names:
            kind = EXHIBIT_KINDS[name]
            try:
                exhibits.append(_exhibit(kind, material))
            except LeftOut as reason:
                reporter.talk(f"{kind.title} is skipped: {reason}")
        if exhibits:
            with open_to_write(folder / FILE) as stream:
                stream.write(records_text([as_record(exhibit) for exhibit in exhibits]))
    return exhibits


def _exhibit(kind: ExhibitKind, material: Material) -> Exhibit:
    key = fingerprint(FORMAT, version("hyperbaton"), kind.name, *kind.depends(material))

    def fill(folder: Path) -> str:
        exhibit = kind.make(material)
        save_exhibit(exhibit, folder)
        return exhibit.title

    part = run_stage(material.folder, f"{STAGE}{kind.name}", key, fill, material.reporter)
    return load_exhibit(material.folder / part)
