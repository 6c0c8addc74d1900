"""Words as numbers.

Every vocabulary begins with the three symbols that language models need, so that their ids are
constants in compiled code.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from models.arrays import Int32Array

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")


class Vocabulary:
    """A growing list of distinct words. `extend` adds what is new; `encode` only looks up.

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
        """The ids of the words, new ones added in the order in which they come."""
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
        """The vocabulary whose `words` were saved: the special symbols must come first."""
        if tuple(words[: len(SPECIAL)]) != SPECIAL or len(set(words)) != len(words):
            raise ValueError("not the words of a vocabulary: <unk> <s> </s> first, no repetitions")
        return cls(words[len(SPECIAL) :])
