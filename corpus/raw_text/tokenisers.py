"""Tokenisers: other people's programs say where words begin, and we keep the text as it is.

A tokeniser is a function that returns the places of a text where it would cut. Whatever the program
does to the words otherwise, such as giving their dictionary forms, is ignored. The programs are
optional parts of hyperbaton and are loaded when text is first cut.
"""

import importlib
import logging
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from types import ModuleType
from typing import Any, TypeAlias
from unicodedata import category

from hyperbaton.corpus.raw_text.protection import spans
from hyperbaton.corpus.raw_text.spacing import Spacing
from hyperbaton.foundation.errors import DataError, SettingError, nearest

Cut: TypeAlias = Callable[[str], Iterable[int]]


_WORD_OR_MARK = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def load_moses(language: str) -> Cut:
    """Moses' tokeniser, which knows abbreviations and apostrophes of European languages."""
    tokenise = _library("sacremoses", "text-en").MosesTokenizer(lang=language).tokenize
    return lambda text: _begins(text, tokenise(text, escape=False))


def load_unidic(language: str) -> Cut:  # noqa: ARG001
    """MeCab with UniDic's short units, for Japanese."""
    dictionary = _library("unidic_lite", "text-ja").DICDIR
    tagger = _library("fugashi", "text-ja").GenericTagger(
        f'-Owakati -d "{dictionary}" -r /dev/null'
    )
    return lambda text: _begins(text, tagger.parse(text).split())


def load_jieba(language: str) -> Cut:  # noqa: ARG001
    """jieba, for Chinese."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package is older than some warnings
        jieba = _library("jieba", "text-zh")
        jieba.setLogLevel(logging.ERROR)
        tokeniser = jieba.Tokenizer()
        tokeniser.initialize()
    return lambda text: _begins(text, tokeniser.cut(text))


def load_kiwi(language: str) -> Cut:  # noqa: ARG001
    """Kiwi's morphemes, for Korean."""
    kiwi: Any = _library("kiwipiepy", "text-ko").Kiwi(num_workers=1)
    return lambda text: (token.start for token in kiwi.tokenize(text) if token.len)


def load_words(language: str) -> Cut:  # noqa: ARG001
    """Words, with apostrophes and hyphens inside of them, and everything else by itself; for
    languages with spaces between words."""

    def cut(text: str) -> Iterator[int]:
        # to Python, vowel signs are no part of a word
        letters = "".join("a" if category(letter)[0] == "M" else letter for letter in text)
        for match in _WORD_OR_MARK.finditer(letters):
            yield from match.span()

    return cut


def load_characters(language: str) -> Cut:  # noqa: ARG001
    return lambda text: range(len(text))


def load_nothing(language: str) -> Cut:  # noqa: ARG001
    """For text that is tokenised already."""
    return lambda _: ()


@dataclass(frozen=True)
class Program:
    load: Callable[[str], Cut]
    packages: tuple[str, ...] = ()  # whose versions matter
    spacing: Spacing | None = None  # instead of the language's


TOKENISERS: Mapping[str, Program] = {
    "moses": Program(load_moses, ("sacremoses",)),
    "unidic": Program(load_unidic, ("fugashi", "unidic-lite")),
    "jieba": Program(load_jieba, ("jieba",)),
    "kiwi": Program(load_kiwi, ("kiwipiepy", "kiwipiepy-model")),
    "words": Program(load_words),
    "char": Program(load_characters, spacing=Spacing(always=False)),
    "none": Program(load_nothing, spacing=Spacing(always=True)),
}


@dataclass(frozen=True)
class Tokeniser:
    """`detokenise(tokenise(text))` is the text, if it is normalised."""

    name: str
    language: str

    def __post_init__(self) -> None:
        if self.name not in TOKENISERS:
            raise SettingError(
                f"there is no tokeniser {self.name!r}",
                expected=nearest(self.name, list(TOKENISERS)),
            )

    @cached_property
    def _cut(self) -> Cut:
        return TOKENISERS[self.name].load(self.language)

    @cached_property
    def _spacing(self) -> Spacing:
        return TOKENISERS[self.name].spacing or Spacing.of(self.language)

    def load(self) -> None:
        """Reports now, rather than at the first text, that a package is missing."""
        _ = self._cut

    def versions(self) -> dict[str, str]:
        """The packages that decide about tokens, as far as they are installed."""
        found = {}
        for package in TOKENISERS[self.name].packages:
            try:
                found[package] = version(package)
            except PackageNotFoundError:
                continue
        return found

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the tokens of a sentence stand in it."""
        return spans(text, self._cut(text))

    def tokens(self, text: str, places: list[tuple[int, int]]) -> list[str]:
        """The pieces at these places, with marks where their spaces are unusual."""
        gaps = [right > left for (_, left), (right, _) in pairwise(places)]
        return self._spacing.marked([text[first:last] for first, last in places], gaps)

    def tokenise(self, text: str) -> list[str]:
        return self.tokens(text, self.spans(text))

    def detokenise(self, tokens: list[str]) -> str:
        return self._spacing.text(tokens)


def _begins(text: str, words: Iterable[str]) -> Iterator[int]:
    """Where words begin in a text; what a program has changed beyond recognition is passed over."""
    at = 0
    for word in map(str.strip, words):
        found = text.find(word, at) if word else -1
        if found >= 0:
            yield found
            at = found + len(word)
            yield at


def _library(name: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == name
        raise DataError(
            f"{name} is not installed" if absent else f"{name} cannot be loaded: {error}",
            expected="it cuts text into words, and is an optional part of hyperbaton",
            advice=f"pip install 'hyperbaton[{extra}]'",
        ) from None
