"""Capital letters: which are part of a word, and which only say that a sentence begins.

A truecaser learns from text how each word is most often written inside of sentences, or at their
beginnings if it stands nowhere else. It writes the first word of a sentence that way; in text that
is only read also others, if it has never seen them as they are. The way back is simple: the first
word of a sentence gets a capital letter, unless it has one somewhere.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hyperbaton.corpus.languages import FINAL
from hyperbaton.corpus.raw_text.spacing import MARKS
from hyperbaton.foundation.errors import DataError, reading
from hyperbaton.foundation.files.writing import replacing

FORMAT = 1
LOWER, KEEP, TRUE = "lower", "keep", "true"
CASES = (LOWER, KEEP, TRUE)
GOES_ON = frozenset([",", ";", ":", ")"])  # no sentence begins after these, even behind a mark


@dataclass(frozen=True)
class Truecaser:
    forms: dict[str, tuple[str, ...]]  # by lower-cased word, the most frequent one first

    @classmethod
    def fit(cls, sentences: Iterable[Sequence[str]]) -> "Truecaser":
        inside: defaultdict[str, Counter[str]] = defaultdict(Counter)
        first: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for words in sentences:
            for word, begins in zip(words, begins_sentence(words), strict=True):
                if word.lower() != word.upper():
                    (first if begins else inside)[word.lower()][word] += 1
        return cls({lower: _by_count(seen) for lower, seen in sorted((first | inside).items())})

    def apply(self, words: Sequence[str], *, unseen: bool = False) -> list[str]:
        """`unseen`: also to forms of known words that were never seen.

        >>> truecaser = Truecaser.fit(["And the Kyoto the cat".split()])
        >>> truecaser.apply("The CAT".split()), truecaser.apply("The CAT".split(), unseen=True)
        (['the', 'CAT'], ['the', 'cat'])
        """
        cased = []
        for word, begins in zip(words, begins_sentence(words), strict=True):
            known = self.forms.get(word.lower(), (word,))
            because_first = begins and word[1:] == word[1:].lower()  # not KYOTO
            cased.append(known[0] if because_first or (unseen and word not in known) else word)
        return cased

    def save(self, path: Path) -> None:
        with replacing(path) as made:
            content = {"format": FORMAT, "words": list(map(list, self.forms.values()))}
            made.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "Truecaser":
        with reading(path):
            text = path.read_bytes()
        try:
            content = json.loads(text)
            if content["format"] == FORMAT:
                words = [tuple(map(str, forms)) for forms in content["words"]]
                return cls({forms[0].lower(): forms for forms in words})
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            pass
        raise DataError(
            "is no truecaser of this version", where=str(path), advice="train the system again"
        )


def capitalised(words: Sequence[str]) -> list[str]:
    """
    >>> capitalised('" mr. iPhone is it . see 3d . a.b'.split())
    ['"', 'Mr.', 'iPhone', 'is', 'it', '.', 'See', '3d', '.', 'a.b']
    """
    return [
        _capitalised(word) if begins else word
        for word, begins in zip(words, begins_sentence(words), strict=True)
    ]


def begins_sentence(words: Iterable[str]) -> Iterator[bool]:
    """Whether each is the first word of a sentence; punctuation before it does not count."""
    fresh = True
    for token in words:
        word = token.strip(MARKS)
        is_word = any(map(str.isalnum, word)) and not word.startswith("&")
        yield fresh and is_word
        is_end = word != "" and set(word) <= FINAL
        fresh = is_end or (fresh and not is_word and word not in GOES_ON)


def _by_count(seen: Counter[str]) -> tuple[str, ...]:
    """The most frequent form first; of equal ones, the one in lower case."""
    return tuple(sorted(seen, key=lambda form: (-seen[form], form != form.lower(), form)))


def _capitalised(token: str) -> str:
    """An address, or a word with digits, stays as it is."""
    word = token.lstrip(MARKS)
    letters = re.sub("[-'’]|[.]$", "", word.rstrip(MARKS))  # mr. too
    first = word[:1].upper()
    if not letters.isalpha() or word != word.lower() or len(first) != 1:
        return token
    return token[: len(token) - len(word)] + first + word[1:]
