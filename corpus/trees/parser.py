"""Parses tokenised text into dependency trees, with parsers whose packages include the weights.

A parser never splits or joins tokens, so that trees fit the text and its word alignment. Every line
of text, even an empty one, gives one block of CoNLL-U.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, tee
from typing import Any, NamedTuple, TypeAlias

from hyperbaton.corpus.trees.conllu import EMPTY_TEXT
from hyperbaton.foundation.errors import DataError, SettingError, nearest

PARSED_AT_ONCE = 64  # sentences per batch


class Parsed(NamedTuple):
    tags: Sequence[str]  # universal parts of speech
    heads: Sequence[int]  # positions from 0, −1 for the root
    relations: Sequence[str]


Parser: TypeAlias = Callable[[Iterable[list[str]]], Iterator[Parsed]]  # for non-empty sentences


def load_ginza() -> Parser:
    """GiNZA's parser for Japanese, applied to given tokens."""
    try:
        for name in ("ginza", "ja_ginza"):
            importlib.import_module(name)
        spacy: Any = importlib.import_module("spacy")
        doc: Any = importlib.import_module("spacy.tokens").Doc
    except ImportError as error:
        raise DataError(
            f"the parser for Japanese cannot be loaded: {error}",
            expected="hyperbaton uses the optional package GiNZA to parse",
            advice="pip install 'hyperbaton[parse]'",
        ) from None
    pipeline = spacy.load(
        "ja_ginza",
        # the splitter is not used, but spaCy 3.8 rejects its default setting
        config={"components.compound_splitter.split_mode": "C"},
        exclude=["ner", "compound_splitter", "bunsetu_recognizer"],
    )

    def parse(sentences: Iterable[list[str]]) -> Iterator[Parsed]:
        docs = (doc(pipeline.vocab, words, [False] * len(words)) for words in sentences)
        for parsed in pipeline.pipe(docs, batch_size=PARSED_AT_ONCE):
            heads = [token.head.i if token.head.i != token.i else -1 for token in parsed]
            relations = [token.dep_.removesuffix("_bunsetu").lower() for token in parsed]
            yield Parsed([token.pos_ for token in parsed], heads, relations)

    return parse


LOADERS: dict[str, Callable[[], Parser]] = {"ja": load_ginza}


def load_parser(language: str) -> Parser:
    if language not in LOADERS:
        raise SettingError(
            f"no parser for the language {language!r}", expected=nearest(language, list(LOADERS))
        )
    return LOADERS[language]()


def conllu_blocks(parser: Parser, sentences: Iterable[list[str]]) -> Iterator[str]:
    """Yields a block for each sentence as soon as it is parsed."""
    given, wanted = tee(sentences)  # buffers only the sentences that the parser has read ahead
    parsed, nothing = parser(words for words in wanted if words), Parsed((), (), ())
    for number, words in enumerate(given, 1):
        yield _block(number, words, next(parsed, nothing) if words else nothing)


def _block(number: int, words: list[str], parsed: Parsed) -> str:
    if {len(words)} != set(map(len, parsed)):
        raise DataError(
            f"the parser returned {len(parsed.heads)} words for {len(words)}",
            where=f"sentence {number}",
            expected="expected the same tokens as in the text",
        )
    text = f"{EMPTY_TEXT} {' '.join(words)}".rstrip()
    rows = (
        f"{place}\t{word}\t_\t{tag or '_'}\t_\t_\t{head + 1}\t{relation or '_'}\t_\t_"
        for place, (word, tag, head, relation) in enumerate(zip(words, *parsed, strict=True), 1)
    )
    return "".join(f"{line}\n" for line in chain([f"# sent_id = {number}", text], rows, [""]))
