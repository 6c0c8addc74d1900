"""Checks that a system is intact: reads every byte of its parts and checks all assumptions of
compiled code, regardless of earlier checks."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.errors import DataError, HyperbatonError
from hyperbaton.foundation.files.sealed_folders import damaged_files, forgetting, is_sealed, sha256
from hyperbaton.models.language_model.parts import load_part
from hyperbaton.models.system.folder import (
    NAME,
    PHRASES,
    RULES,
    TAGGER,
    TEXT,
    language_models,
    load_entry,
    load_phrases,
    load_rules,
    load_source_tagger,
    load_text,
    read_system,
    refuse_plugins,
)

LOADERS: Mapping[str, Callable[[Path], Any]] = {
    PHRASES: load_phrases,
    RULES: load_rules,
    TAGGER: load_source_tagger,
    TEXT: load_text,
}


class CheckedPart(NamedTuple):
    name: str
    folder: Path
    problem: str = ""  # empty if it is intact


def check_parts(directory: Path, *, allow_plugins: bool = False) -> Iterator[CheckedPart]:
    """Checks every part of a system, in the order of `model.toml`."""
    content = read_system(directory)
    if not allow_plugins:
        refuse_plugins(content["distortion"], str(directory / NAME))
    for name, part in content["parts"].items():
        folder = directory / part
        if name in LOADERS:
            load: Callable[[], Any] = partial(LOADERS[name], directory)
        else:
            is_lm = name in language_models(content["parts"])
            load = partial(load_part if is_lm else WordClasses.load, folder)
        yield CheckedPart(name, folder, _problem(folder, load))
    for entry in content["distortion"]:
        if "part" in entry:
            folder, load = directory / entry["part"], partial(load_entry, directory, entry)
            yield CheckedPart(entry["name"], folder, _problem(folder, load))


def _problem(folder: Path, load: Callable[[], Any]) -> str:
    if not folder.is_dir():
        return "is missing"
    if not is_sealed(folder):
        return "is not sealed, so changes cannot be detected"
    changed = damaged_files(folder)
    if changed:
        return f"has changed since it was made: {', '.join(changed)}"
    try:
        with forgetting():
            load()
    except HyperbatonError as error:
        return str(error).replace("\n", ";")
    return ""


def recorded_files(directory: Path) -> dict[str, Path]:
    """The files that a system was trained on; an error if one has changed."""
    corpus = read_system(directory).get("corpus")
    where = str(directory / NAME)
    if not isinstance(corpus, dict) or "pruned" in read_system(directory):
        raise DataError(
            "does not record how to train this system again",
            where=where,
            expected="only systems that were trained and not pruned can be repaired",
        )
    files = {}
    for name, entry in corpus.items():
        path = Path(str(entry.get("file")))
        if not path.exists() or sha256(path) != entry.get("sha256"):
            raise DataError(
                "is missing or has changed since the system was trained",
                where=str(path),
                advice="restore it, or train the system again",
            )
        files[name] = path
    return files
