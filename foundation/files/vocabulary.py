"""Vocabularies: words and their ids.

Every vocabulary begins with the three symbols of language models, so their ids are constants in
compiled code.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.errors import BadLine

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
# Words that conflict with symbols of our files: the files that use them, and another spelling.
# Older tools write <UNK> for <unk> in language models.
RESERVED = dict.fromkeys((*SPECIAL, "<UNK>"), ("language models", "&lt;s&gt;"))
RESERVED["|||"] = ("phrase tables", "&#124;&#124;&#124;")
CONTROL = re.compile(r"[\x00-\x1f]")  # some tools end words or lines at some of them


def check_words(words: Sequence[str]) -> None:
    """Rejects words that the files of a system cannot represent."""
    if not RESERVED.keys().isdisjoint(words):
        word = next(word for word in words if word in RESERVED)
        needed_by, escaped = RESERVED[word]
        raise BadLine(
            "reserved word",
            f"the word {word} is reserved for {needed_by}",
            f"escape it, for instance as {escaped}",
        )
    match = CONTROL.search(" ".join(words))
    if match:
        raise BadLine(
            "control character",
            f"a word contains the control character U+{ord(match[0]):04X}",
            "remove such characters, for instance with tr",
        )


class Vocabulary:
    """A growing list of distinct words. `extend` adds new words; `encode` only looks up.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.extend("the cat the".split())
    [3, 4, 3]
    >>> vocabulary.encode("the dog".split())
    array([3, 0], dtype=int32)
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._words: list[str] = list(SPECIAL)
        self._ids: dict[str, int] = {word: i for i, word in enumerate(SPECIAL)}
        self.extend(words)

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    __hash__ = None  # type: ignore[assignment]  # it grows, so it cannot be a key

    @property
    def words(self) -> tuple[str, ...]:
        """All words in the order of their ids."""
        return tuple(self._words)

    def extend(self, words: Iterable[str]) -> list[int]:
        """The ids of the words; new words are added in order."""
        ids, known = [], self._ids
        for word in words:
            number = known.get(word)
            if number is None:
                number = known[word] = len(self._words)
                self._words.append(word)
            ids.append(number)
        return ids

    def encode(self, words: Iterable[str]) -> Int32Array:
        return np.array([self._ids.get(word, UNKNOWN) for word in words], dtype=np.int32)

    def decode(self, ids: Iterable[int]) -> list[str]:
        return [self._words[i] for i in ids]

    @classmethod
    def from_list(cls, words: Sequence[str]) -> "Vocabulary":
        """Restores a vocabulary from its `words`; the special symbols must come first."""
        if tuple(words[: len(SPECIAL)]) != SPECIAL or len(set(words)) != len(words):
            raise ValueError("not the words of a vocabulary: <unk> <s> </s> first, no repetitions")
        return cls(words[len(SPECIAL) :])
