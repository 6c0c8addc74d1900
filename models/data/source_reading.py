"""Reads source sentences with their layers, one at a time, for translation."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from models.data.corpus_reading import (
    CorpusSettings,
    check_lengths,
    open_layers,
    read_on,
    tree_of,
    words_and_tags,
)
from models.data.sentence import Sentence


@dataclass(frozen=True)
class SourceFiles:
    """Where sentences and their layers are. Tags and trees may also come from CoNLL-U files."""

    source: Path
    source_tags: Path | None = None
    source_tree: Path | None = None


def read_sentences(
    files: SourceFiles, *, factored: bool = False
) -> Generator[Sentence, None, None]:
    """Sentences in order, whatever their words, empty ones too; a fault is named with its place."""
    layers = open_layers(vars(files))
    settings = CorpusSettings(factored=factored)
    with closing(read_on(layers)) as rows:
        for _ in rows:
            check_lengths(layers)
            words, tags = words_and_tags(layers, "source", settings, checked=False)
            tree = tree_of(layers, words) if words else None
            yield Sentence(tuple(words), None if tags is None else tuple(tags), tree=tree)
