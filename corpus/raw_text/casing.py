"""Truecasing: removes capital letters that only mark the beginning of a sentence.

A truecaser learns the most frequent form of each word inside sentences, or at their beginnings if
the word occurs nowhere else. It gives the first word of a sentence this form; in source text also
other words whose form it has never seen. Recasing capitalises the first word of a sentence, unless
the word has a capital letter already.
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
GOES_ON = frozenset([",", ";", ":", ")"])  # no sentence begins after these, even after a full stop


@dataclass(frozen=True)
class Truecaser:
    forms: dict[str, tuple[str, ...]]  # by lower-cased word, most frequent first

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
        """Truecases a sentence; with `unseen` also forms of known words that were never seen.

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
        with replacing(path) as temporary:
            content = {"format": FORMAT, "words": list(map(list, self.forms.values()))}
            temporary.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")

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
            "is not a truecaser of this version", where=str(path), advice="train the system again"
        )


def capitalised(words: Sequence[str]) -> list[str]:
    """Capitalises the first word of every sentence.

    >>> capitalised('" mr. iPhone is it . see 3d . a.b'.split())
    ['"', 'Mr.', 'iPhone', 'is', 'it', '.', 'See', '3d', '.', 'a.b']
    """
    return [
        _capitalised(word) if begins else word
        for word, begins in zip(words, begins_sentence(words), strict=True)
    ]


def begins_sentence(words: Iterable[str]) -> Iterator[bool]:
    """Whether each token is the first word of a sentence; punctuation is not a word."""
    fresh = True
    for token in words:
        word = token.strip(MARKS)
        is_word = any(map(str.isalnum, word)) and not word.startswith("&")
        yield fresh and is_word
        is_end = word != "" and set(word) <= FINAL
        fresh = is_end or (fresh and not is_word and word not in GOES_ON)


def _by_count(seen: Counter[str]) -> tuple[str, ...]:
    """The forms by falling count; lower case first among equals."""
    return tuple(sorted(seen, key=lambda form: (-seen[form], form != form.lower(), form)))


def _capitalised(token: str) -> str:
    """Capitalises a word, but no address and no word with digits."""
    word = token.lstrip(MARKS)
    letters = re.sub("[-'’]|[.]$", "", word.rstrip(MARKS))  # mr. too
    first = word[:1].upper()
    if not letters.isalpha() or word != word.lower() or len(first) != 1:
        return token
    return token[: len(token) - len(word)] + first + word[1:]
