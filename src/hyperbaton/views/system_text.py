"""Describes a trained system: parts and their sizes, models, weights and settings; and the features
of its parse model."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hyperbaton.corpus.words.tagger import Tagger
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.errors import DataError, counted
from hyperbaton.models.distortion.catalogue import model_text
from hyperbaton.models.distortion.parse.listing import FeatureRow
from hyperbaton.models.language_model.class_model import ClassModel
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.language_model.parts import load_part
from hyperbaton.models.system import folder as system_folder
from hyperbaton.tuning.evaluation.tables import Table, as_text
from hyperbaton.views.text_tables import TextBlock

UNITS = ("B", "kB", "MB", "GB", "TB")
STEP = 1000  # from one unit to the next
WORDS = frozenset(
    {"part", "holds", "model", "needs", "feature", "of", "setting", "value", "corpus", "file"}
)

COLUMNS = ("count", "alpha", "jump", "target", "source", "node", "coverage", "side", "near")
COLUMNS_OF_WORDS = frozenset({"target", "source", "node", "near"})


def describe_system(directory: Path, *, allow_plugins: bool = False) -> dict[str, Any]:
    """Describes a system as plain values."""
    content = system_folder.read_system(directory)
    models = system_folder.load_distortion(directory, allow_plugins=allow_plugins)
    parts = {
        name: {
            "folder": folder,
            "bytes": folder_size(directory / folder),
            "holds": _holds(directory, name, folder),
        }
        for name, folder in content["parts"].items()
    }
    distortion = [
        {
            "name": entry["name"],
            "settings": entry["settings"],
            "features": list(model.feature_names),
            "layers": sorted(model.requires),
        }
        | (
            {"folder": entry["part"], "bytes": folder_size(directory / entry["part"])}
            if "part" in entry
            else {}
        )
        for entry, model in zip(content["distortion"], models, strict=True)
    ]
    return {
        "directory": str(directory),
        "hyperbaton": content.get("hyperbaton", "?"),
        "parts": parts,
        "distortion": distortion,
        "weights": content["weights"],
        "search": content["search"],
        "text": content.get(system_folder.TEXT, {}),
        "settings": content.get("settings", {}),
        "corpus": {
            name: entry.get("file", "?") for name, entry in content.get("corpus", {}).items()
        },
    }


def system_blocks(system: dict[str, Any]) -> Iterator[TextBlock]:
    yield f"{system['directory']}: a system made by hyperbaton {system['hyperbaton']}"
    rows = [
        [name, part["holds"], size_text(part["bytes"])] for name, part in system["parts"].items()
    ]
    yield _table("parts", ["part", "holds", "size"], rows)
    rows = [
        [
            model_text(model["name"], model["settings"]),
            str(len(model["features"])),
            size_text(model["bytes"]) if "bytes" in model else "-",
            ", ".join(["words", *model["layers"]]),
        ]
        for model in system["distortion"]
    ]
    yield _table("distortion models", ["model", "features", "size", "needs"], rows)
    owner = {name: model["name"] for model in system["distortion"] for name in model["features"]}
    rows = [
        [name, owner.get(name, ""), f"{weight:g}"] for name, weight in system["weights"].items()
    ]
    yield _table("weights", ["feature", "of", "weight"], rows)
    if system["text"]:
        yield _table("text", ["setting", "value"], list(_settings_rows(system["text"])))
    rows = list(_settings_rows({"search": system["search"]} | system["settings"]))
    yield _table("settings", ["setting", "value"], rows)
    if system["corpus"]:
        rows = [[name, file] for name, file in system["corpus"].items()]
        yield _table("trained on", ["corpus", "file"], rows)


def _table(title: str, header: list[str], rows: list[list[str]]) -> Table:
    return Table(header, rows, title=title, left=WORDS)


def _settings_rows(settings: dict[str, Any], prefix: str = "") -> Iterator[list[str]]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _settings_rows(value, f"{prefix}{name}.")
        else:
            shown = " ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield [prefix + name, (shown.lower() if isinstance(value, bool) else shown) or "-"]


def _holds(directory: Path, name: str, folder: str) -> str:
    if name == "phrases":
        table = system_folder.load_phrases(directory)
        words = len(table.source_vocabulary), len(table.target_vocabulary)
        scores = f", reordering {table.reordering_type}" if table.reordering_type else ""
        return f"{counted(len(table), 'phrase pair')} of {words[0]:,} × {words[1]:,} words{scores}"
    if name == system_folder.RULES:
        rules = system_folder.load_rules(directory)
        words = len(rules.source_vocabulary), len(rules.target_vocabulary)
        return f"{counted(len(rules), 'rule')} of {words[0]:,} × {words[1]:,} words"
    if name == system_folder.LM or name.startswith(f"{system_folder.LM}."):
        lm = load_part(directory / folder)
        kind = f"{lm.order}-gram model of"
        if isinstance(lm, ClassModel):
            return f"{kind} {lm.classes.n_classes} word classes"
        if isinstance(lm, LanguageModel):
            return f"{kind} {counted(len(lm.vocabulary), 'word')}"
        return f"a KenLM binary of order {lm.order}"
    if name.endswith("_classes"):
        classes = WordClasses.load(directory / folder)
        return f"{counted(len(classes.vocabulary), 'word')} in {classes.n_classes} classes"
    if name == system_folder.TAGGER:
        tagger = Tagger.load(directory / folder)
        return f"tagger with {len(tagger.tags)} tags, accuracy {tagger.accuracy:.1%}"
    return "truecasing model" if name == system_folder.TEXT else ""


def folder_size(folder: Path) -> int:
    if not folder.is_dir():
        raise DataError("is missing", where=str(folder), advice="train or import the system again")
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def size_text(n_bytes: int) -> str:
    """`512 B`, `1.5 kB`, `23 MB`."""
    size, unit = float(n_bytes), 0
    while size >= STEP - 0.5 and unit < len(UNITS) - 1:
        size /= STEP
        unit += 1
    digits = 1 if unit and size < 10 else 0
    return f"{size:.{digits}f} {UNITS[unit]}"


def feature_values(row: FeatureRow) -> list[str]:
    """The cells of a row, one for each of COLUMNS."""
    values = [getattr(row, column) for column in COLUMNS]
    return ["" if v is None else f"{v:.2f}" if isinstance(v, float) else str(v) for v in values]


def feature_table(rows: Sequence[FeatureRow]) -> str:
    """An aligned table without empty columns."""
    headings = ["α" if name == "alpha" else name for name in COLUMNS]
    lines = [feature_values(row) for row in rows]
    used = [k for k in range(len(COLUMNS)) if k < 2 or any(line[k] for line in lines)]
    header, *lines = ([line[k] for k in used] for line in (headings, *lines))
    return as_text(Table(header, lines, left=COLUMNS_OF_WORDS))
