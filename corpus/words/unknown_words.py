"""Counts the unknown words of a text, and guesses whether it was prepared differently from the
training data.

Two differences can be recognised, because undoing them makes the words known: capital letters, and
punctuation attached to words. If most words are unknown, the text may be in the target language or
in a third one.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from hyperbaton.foundation.files.vocabulary import Vocabulary

ATTACHED = re.compile(r"^[^\w\s]+|(?<![^\w\s])[^\w\s]++$")  # punctuation at either end of a word
IN_CAPITALS = "the system knows these words in lower case"
UNTOKENISED = "the text looks untokenised: the system knows these words without their punctuation"
MOST_EXAMPLES = 3
MOST_KNOWN = 8  # examples of known words
MOST_TYPES = 20_000  # unknown types to remember: a stream may be endless


class UnknownWords:
    """Counts the words of a text, sentence by sentence."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        sentences: Iterable[Sequence[str]] = (),
        target_vocabulary: Vocabulary | None = None,
    ) -> None:
        self._vocabulary, self._target_vocabulary = vocabulary, target_vocabulary
        self._n_words = self._n_unknown = 0
        self._known: set[str] = set()
        self._unknown: set[str] = set()
        self._hinted: set[str] = set()
        for words in sentences:
            self.add(words)

    def add(self, words: Sequence[str], copied: Sequence[str] | None = None) -> list[str]:
        """Counts a sentence and returns hints, each kind only once per text. `copied` are the words
        without a translation, which the system may nevertheless have seen."""
        unknown = copied
        if unknown is None:
            unknown = [word for word in words if word not in self._vocabulary]
        self._n_words += len(words)
        self._n_unknown += len(unknown)
        self._known.update(set(words).difference(unknown))
        self._unknown.update(islice(unknown, MOST_TYPES - len(self._unknown)))
        causes = {UNTOKENISED: [word for word in unknown if self._knows_bare(word)]}
        if 2 * len(unknown) > len(words):  # a few unknown names are normal
            causes[IN_CAPITALS] = [w for w in unknown if w.lower() in self._vocabulary]
        hints = []
        for hint, explained in causes.items():
            if explained and 2 * len(explained) >= len(unknown) and hint not in self._hinted:
                self._hinted.add(hint)
                hints.append(f"{hint}: {' '.join(explained[:MOST_EXAMPLES])}")
        return hints

    def __str__(self) -> str:
        """`unknown words: 3 of 40 (7.5%), 2 of 25 types (8.0%)`; empty if all are known."""
        if not self._unknown:
            return ""
        n_words, all_words, n_types = self._n_unknown, self._n_words, len(self._unknown)
        all_types = n_types + len(self._known)
        types = f"{n_types:,} of {all_types:,} types ({n_types / all_types:.1%})"
        if n_types >= MOST_TYPES:
            types = f"{n_types:,} types or more"
        return f"unknown words: {n_words:,} of {all_words:,} ({n_words / all_words:.1%}), {types}"

    @property
    def hint(self) -> str:
        """The likely cause if most words are unknown."""
        if 2 * self._n_unknown <= self._n_words:
            return ""
        if self._target_vocabulary is not None:
            n_target = sum(word in self._target_vocabulary for word in self._unknown)
            if 2 * n_target > len(self._unknown):
                return (
                    "most of them are words of the target language: are source and target swapped?"
                )
        known = (word for word in self._vocabulary.words if word.isalpha())
        examples = " ".join(islice(known, MOST_KNOWN))
        return f"most words are unknown; the system knows, for example: {examples}"

    def _knows_bare(self, word: str) -> bool:
        bare = ATTACHED.sub("", word)
        return bare not in ("", word) and (
            bare in self._vocabulary or bare.lower() in self._vocabulary
        )
