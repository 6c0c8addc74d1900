"""Tokenisers: external packages find the word boundaries; the text itself does not change.

A tokeniser is a function that returns the positions where it would cut a text. Other output of the
package, such as dictionary forms, is ignored. The packages are optional and loaded at first use.
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
    """Moses' tokeniser, which handles abbreviations and apostrophes of European languages."""
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
        warnings.simplefilter("ignore")  # the old package causes deprecation warnings
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
    """Words with inner apostrophes and hyphens, and single other characters; for languages with
    spaces between words."""

    def cut(text: str) -> Iterator[int]:
        # Python's \w does not match vowel signs
        letters = "".join("a" if category(letter)[0] == "M" else letter for letter in text)
        for match in _WORD_OR_MARK.finditer(letters):
            yield from match.span()

    return cut


def load_characters(language: str) -> Cut:  # noqa: ARG001
    return lambda text: range(len(text))


def load_nothing(language: str) -> Cut:  # noqa: ARG001
    """For tokenised text."""
    return lambda _: ()


@dataclass(frozen=True)
class Program:
    load: Callable[[str], Cut]
    packages: tuple[str, ...] = ()  # their versions are recorded
    spacing: Spacing | None = None  # overrides the language's


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
    """A tokeniser for a language. `detokenise(tokenise(text)) == text` for normalised text."""

    name: str
    language: str

    def __post_init__(self) -> None:
        if self.name not in TOKENISERS:
            raise SettingError(
                f"unknown tokeniser {self.name!r}",
                expected=nearest(self.name, list(TOKENISERS)),
            )

    @cached_property
    def _cut(self) -> Cut:
        return TOKENISERS[self.name].load(self.language)

    @cached_property
    def _spacing(self) -> Spacing:
        return TOKENISERS[self.name].spacing or Spacing.of(self.language)

    def load(self) -> None:
        """Loads the package now, so that a missing one is reported before any text is read."""
        _ = self._cut

    def versions(self) -> dict[str, str]:
        """The versions of the tokeniser's installed packages."""
        installed = {}
        for package in TOKENISERS[self.name].packages:
            try:
                installed[package] = version(package)
            except PackageNotFoundError:
                continue
        return installed

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The spans of the tokens of a sentence."""
        return spans(text, self._cut(text))

    def tokens(self, text: str, places: list[tuple[int, int]]) -> list[str]:
        """The tokens at these spans, with marks for unusual spaces."""
        gaps = [right > left for (_, left), (right, _) in pairwise(places)]
        return self._spacing.marked([text[first:last] for first, last in places], gaps)

    def tokenise(self, text: str) -> list[str]:
        return self.tokens(text, self.spans(text))

    def detokenise(self, tokens: list[str]) -> str:
        return self._spacing.text(tokens)


def _begins(text: str, words: Iterable[str]) -> Iterator[int]:
    """Yields the starts and ends of words in a text; skips words that the text does not contain."""
    at = 0
    for word in map(str.strip, words):
        start = text.find(word, at) if word else -1
        if start >= 0:
            yield start
            at = start + len(word)
            yield at


def _library(name: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == name
        raise DataError(
            f"{name} is not installed" if absent else f"{name} cannot be loaded: {error}",
            expected="hyperbaton uses this optional package to tokenise text",
            advice=f"pip install 'hyperbaton[{extra}]'",
        ) from None
