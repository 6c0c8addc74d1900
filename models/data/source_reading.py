"""Reads source sentences with their layers, one at a time: what is to be translated."""

from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from models.data.corpus_reading import (
    ENDED,
    CorpusSettings,
    check_lengths,
    open_layers,
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
    with ExitStack() as stack:
        for layer in layers.values():
            stack.callback(layer.records.close)
        for row in zip_longest(*(layer.records for layer in layers.values()), fillvalue=ENDED):
            for layer, record in zip(layers.values(), row, strict=True):
                layer.receive(record)
            check_lengths(layers)
            words, tags = words_and_tags(layers, "source", settings, checked=False)
            tree = tree_of(layers, words) if words else None
            yield Sentence(tuple(words), None if tags is None else tuple(tags), tree=tree)
