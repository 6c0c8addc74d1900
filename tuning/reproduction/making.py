"""Makes the exhibits of a preset after its comparison, each once for the same inputs.

An exhibit is a stage like all others: its folder is named after everything that it depends on, and
a run that is killed loses one at most.
"""

from collections.abc import Iterable
from functools import partial
from importlib.metadata import version
from pathlib import Path

from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.models.system.stages import fingerprint, locked, run_stage
from hyperbaton.tuning.comparison.data import cut_out
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.reproduction import (
    alrajeh,
    data_sizes,
    jumps_by_tag,
    next_word,
    ni,
    siblings,
)
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
        jumps_by_tag.KIND,
        siblings.KIND,
    )
}


def make_exhibits(
    comparison: Comparison,
    names: Iterable[str],
    folder: Path,
    threads: int = 2,
    reporter: Reporter = SILENT,
) -> list[Exhibit]:
    """Those that the data allow; for the others, a message gives the reason."""
    found = []
    with locked(folder):
        configuration = cut_out(comparison.configuration, folder / "data")
        material = Material(comparison, configuration, folder, threads, reporter)
        for name in names:
            kind = EXHIBIT_KINDS[name]
            try:
                found.append(_made(kind, material))
            except LeftOut as reason:
                reporter.talk(f"{kind.title} is left out: {reason}")
        if found:
            with open_to_write(folder / FILE) as stream:
                stream.write(records_text([as_record(exhibit) for exhibit in found]))
        else:
            (folder / FILE).unlink(missing_ok=True)  # of an earlier run
    return found


def _made(kind: ExhibitKind, material: Material) -> Exhibit:
    key = fingerprint(FORMAT, version("hyperbaton"), kind.name, *kind.depends(material))
    work = partial(_fill, kind, material)
    part = run_stage(material.folder, f"{STAGE}{kind.name}", key, work, material.reporter)
    return load_exhibit(material.folder / part)


def _fill(kind: ExhibitKind, material: Material, folder: Path) -> str:
    exhibit = kind.make(material)
    save_exhibit(exhibit, folder)
    return exhibit.title
