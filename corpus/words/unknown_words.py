"""Words of a text that a system does not know: how many, and whether the text was prepared in
another way than the training data.

Two differences can be told, because undoing them makes the words known: capital letters, and
punctuation that was not split off.
"""

import re
from collections.abc import Iterable, Sequence

from hyperbaton.foundation.files.vocabulary import Vocabulary

ATTACHED = re.compile(r"^[^\w\s]+|(?<![^\w\s])[^\w\s]++$")  # signs at either end of a word
IN_CAPITALS = "the system knows these words in lower case"
UNTOKENISED = "the text looks untokenised: the system knows these words without their punctuation"
MOST_EXAMPLES = 3
MOST_TYPES = 20_000  # unknown ones that are told apart: a stream may have new ones for ever


class UnknownWords:
    """Counts the words of a text, sentence by sentence."""

    def __init__(self, vocabulary: Vocabulary, sentences: Iterable[Sequence[str]] = ()) -> None:
        self._vocabulary = vocabulary
        self._n_words = self._n_unknown = 0
        self._known: set[str] = set()
        self._unknown: set[str] = set()
        self._hinted: set[str] = set()
        for words in sentences:
            self.add(words)

    def add(self, words: Sequence[str]) -> list[str]:
        """Counts a sentence; hints that its words give, each kind only once in a text."""
        unknown = [word for word in words if word not in self._vocabulary]
        self._n_words += len(words)
        self._n_unknown += len(unknown)
        self._known.update(word for word in words if word in self._vocabulary)
        self._unknown.update(unknown[: MOST_TYPES - len(self._unknown)])
        causes = {UNTOKENISED: [word for word in unknown if self._knows_bare(word)]}
        if 2 * len(unknown) > len(words):  # a name or two are in no vocabulary
            causes[IN_CAPITALS] = [w for w in unknown if w.lower() in self._vocabulary]
        hints = []
        for hint, explained in causes.items():
            if explained and 2 * len(explained) >= len(unknown) and hint not in self._hinted:
                self._hinted.add(hint)
                hints.append(f"{hint}: {' '.join(explained[:MOST_EXAMPLES])}")
        return hints

    def __str__(self) -> str:
        """`unknown words: 3 of 40 (7.5%), 2 of 25 types (8.0%)`; nothing if all are known."""
        if not self._unknown:
            return ""
        n_words, all_words, n_types = self._n_unknown, self._n_words, len(self._unknown)
        all_types = n_types + len(self._known)
        types = f"{n_types:,} of {all_types:,} types ({n_types / all_types:.1%})"
        if n_types >= MOST_TYPES:
            types = f"{n_types:,} types or more"
        return f"unknown words: {n_words:,} of {all_words:,} ({n_words / all_words:.1%}), {types}"

    def _knows_bare(self, word: str) -> bool:
        bare = ATTACHED.sub("", word)
        return bare not in ("", word) and (
            bare in self._vocabulary or bare.lower() in self._vocabulary
        )
