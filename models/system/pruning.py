"""Prunes the phrase table of a trained system, in place or into a new folder."""

import shutil
from pathlib import Path
from typing import Any

from hyperbaton.foundation.files.array_files import save_arrays
from hyperbaton.foundation.files.writing import make_folder, put_in_place, writing
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.models.phrases.checking import check_phrase_settings
from hyperbaton.models.phrases.pruned import pruned
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.phrases.table import FORMAT
from hyperbaton.models.system.folder import load_phrases, read_system, write_content
from hyperbaton.models.system.stages import (
    PARTS,
    fingerprint,
    locked,
    remove_other_parts,
    run_stage,
)

PRUNED = "pruned"  # in model.toml: what was pruned, in order


def prune_system(
    directory: Path,
    out: Path,
    settings: PhraseSettings,
    reporter: Reporter = SILENT,
) -> None:
    """`out` becomes the system with a smaller phrase table; it may be `directory` itself."""
    check_phrase_settings(settings)
    content = read_system(directory)
    table = load_phrases(directory)
    chosen = {name: getattr(settings, name) for name in ("min_count", "significance", "top")}

    def work(folder: Path) -> str:
        made = pruned(table, settings)
        save_arrays(folder, FORMAT, *made)
        return f"{made.arrays['target'].shape[0]:,} of {len(table):,} phrase pairs"

    with locked(out):
        key = fingerprint(Path(content["parts"]["phrases"]).name, chosen)
        part = run_stage(out, "phrases", key, work, reporter)
        if not _is_same(directory, out):
            content = _copied(directory, out, content)
        content["parts"]["phrases"] = part
        content[PRUNED] = [*content.get(PRUNED, []), chosen]
        write_content(out, content)
        learned = [model["part"] for model in content["distortion"] if "part" in model]
        remove_other_parts(out, [*content["parts"].values(), *learned])


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _copied(directory: Path, out: Path, content: dict[str, Any]) -> dict[str, Any]:
    """The description of a copy that has all parts but the phrase table."""

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
