"""Saves a corpus as arrays that are mapped into memory when loaded."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.work.workplace import Workplace

FORMAT = 1
OFFSETS = "_offsets"


def save_corpus(corpus: AlignedCorpus, remarks: Iterable[str], directory: Path) -> None:
    """Saves a corpus with remarks from reading it."""
    parts: dict[str, Any] = {"links": corpus.links}
    for side in ("source", "target"):
        parts |= {f"{side}_{name}": part for name, part in vars(getattr(corpus, side)).items()}
    ragged = {name: part for name, part in parts.items() if isinstance(part, Ragged)}
    arrays = {name: part.values for name, part in ragged.items()}
    arrays |= {f"{name}{OFFSETS}": part.offsets for name, part in ragged.items()}
    vocabularies = {name: part for name, part in parts.items() if isinstance(part, Vocabulary)}
    save_arrays(directory, FORMAT, {"remarks": list(remarks)}, arrays, vocabularies)


def load_corpus(directory: Path) -> tuple[AlignedCorpus, list[str]]:
    """The corpus and the remarks. Writing to its arrays does not change the files."""
    header, arrays, vocabularies = load_arrays(directory, FORMAT, mode="c")
    parts: dict[str, Any] = {
        name: Ragged(values, arrays[f"{name}{OFFSETS}"])
        for name, values in arrays.items()
        if not name.endswith(OFFSETS)
    } | vocabularies

    def side(prefix: str) -> Side:
        return Side(
            **{
                name.removeprefix(prefix): part
                for name, part in parts.items()
                if name.startswith(prefix)
            }
        )

    corpus = AlignedCorpus(side("source_"), side("target_"), parts["links"])
    return corpus, header["remarks"]


def corpus_at(here: Workplace, corpus: AlignedCorpus | Path) -> AlignedCorpus:
    """The corpus of a task, loaded if the task was given its folder."""
    if isinstance(corpus, AlignedCorpus):
        return corpus
    loaded, _ = here.remembered(("corpus", corpus), lambda: load_corpus(here.get(corpus)))
    return loaded
