"""Text files as word numbers, for the estimation of a language model."""

from array import array
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from models.arrays import Ragged
from models.data.text import parse_lines, split_words
from models.data.vocabulary import Vocabulary, check_words
from models.progress import Progress

PROGRESS_EVERY = 1000


def read_text(paths: Iterable[Path], progress: Progress | None = None) -> tuple[Vocabulary, Ragged]:
    """All lines of all files, one after the other; an empty line is an empty sentence.

    A line that is not UTF-8 or holds a word that files of models cannot hold is an error.
    """
    vocabulary, words, offsets = Vocabulary(), array("i"), array("q", [0])
    for path in paths:
        for _, line in parse_lines(path, _words):
            words.extend(vocabulary.extend(line))
            offsets.append(len(words))
            n_lines = len(offsets) - 1
            if progress and n_lines % PROGRESS_EVERY == 0:
                progress("reading lines", n_lines)
    return vocabulary, Ragged(np.array(words, np.int32), np.array(offsets, np.int64))


def _words(line: str) -> list[str]:
    words = split_words(line)
    check_words(words)
    return words
