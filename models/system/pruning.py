"""Prunes the phrase table of a trained system, in place or into a new folder."""

import shutil
from pathlib import Path
from typing import Any

from hyperbaton.foundation.files.array_files import save_arrays
from hyperbaton.foundation.files.writing import make_folder, put_in_place, writing
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.models.phrases.checking import check_phrase_settings
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.phrases.smaller_tables import pruned
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.system.folder import load_phrases, part_folders, read_system, write_content
from hyperbaton.models.system.stages import (
    PARTS,
    fingerprint,
    locked,
    remove_other_parts,
    run_stage,
)

PRUNED = "pruned"  # in model.toml: the settings of each pruning, in order


def prune_system(
    directory: Path,
    out: Path,
    settings: PhraseSettings,
    reporter: Reporter = SILENT,
) -> None:
    """Writes the system with a pruned phrase table to `out`, which may be `directory`."""
    check_phrase_settings(settings)
    content = read_system(directory)
    table = load_phrases(directory)
    chosen = {name: getattr(settings, name) for name in ("min_count", "significance", "top")}

    def work(folder: Path) -> str:
        smaller = pruned(table, settings)
        save_arrays(folder, PhraseTable.FORMAT, *smaller)
        return f"{smaller.arrays['target'].shape[0]:,} of {len(table):,} phrase pairs"

    with locked(out):
        key = fingerprint(Path(content["parts"]["phrases"]).name, chosen)
        part = run_stage(out, "phrases", key, work, reporter)
        if directory.resolve() != out.resolve():
            content = _copied(directory, out, content)
        content["parts"]["phrases"] = part
        content[PRUNED] = [*content.get(PRUNED, []), chosen]
        write_content(out, content)
        remove_other_parts(out, part_folders(content))


def _copied(directory: Path, out: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Copies all parts except the phrase table; returns the content of the copy's `model.toml`."""

    def copy(part: str) -> str:
        place = f"{PARTS}/{Path(part).name}"
        if not (out / place).exists():
            make_folder(out / PARTS)
            unfinished = out / f"{place}.unfinished"
            with writing(unfinished):
                shutil.rmtree(unfinished, ignore_errors=True)
                shutil.copytree(directory / part, unfinished)
                put_in_place(unfinished, out / place)
        return place

    others = {name: part for name, part in content["parts"].items() if name != "phrases"}
    return content | {
        "parts": {name: copy(part) for name, part in others.items()},
        "distortion": [
            model | ({"part": copy(model["part"])} if "part" in model else {})
            for model in content["distortion"]
        ],
    }
