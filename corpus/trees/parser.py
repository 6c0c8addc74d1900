"""Dependency trees of tokenised text, by a parser that ships its weights with its package.

A parser gets the tokens as they are and never splits or joins them, so that trees fit the text and
its word alignment. One block of CoNLL-U is written for every line of text, also for empty ones.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, tee
from typing import Any, NamedTuple, TypeAlias

from hyperbaton.corpus.trees.conllu import EMPTY_TEXT
from hyperbaton.foundation.errors import DataError, SettingError, nearest

PARSED_AT_ONCE = 64  # sentences that the parser sees at a time


class Parsed(NamedTuple):
    tags: Sequence[str]  # universal parts of speech
    heads: Sequence[int]  # positions from 0, −1 for the root
    relations: Sequence[str]


Parser: TypeAlias = Callable[[Iterable[list[str]]], Iterator[Parsed]]  # none of them empty


def load_ginza() -> Parser:
    """GiNZA's parser of Japanese, for given tokens."""
    try:
        for name in ("ginza", "ja_ginza"):
            importlib.import_module(name)
        spacy: Any = importlib.import_module("spacy")
        doc: Any = importlib.import_module("spacy.tokens").Doc
    except ImportError as error:
        raise DataError(
            f"the parser of Japanese cannot be loaded: {error}",
            expected="GiNZA makes the trees, and is an optional part of hyperbaton",
            advice="pip install 'hyperbaton[parse]'",
        ) from None
    pipeline = spacy.load(
        "ja_ginza",
        # the splitter is not used, but spaCy 3.8 refuses its default
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
            f"there is no parser of {language!r}", expected=nearest(language, list(LOADERS))
        )
    return LOADERS[language]()


def conllu_blocks(parser: Parser, sentences: Iterable[list[str]]) -> Iterator[str]:
    """A block for each sentence, as soon as the parser is done with it."""
    given, wanted = tee(sentences)  # keeps only what the parser has read ahead
    parsed, nothing = parser(words for words in wanted if words), Parsed((), (), ())
    for number, words in enumerate(given, 1):
        yield _block(number, words, next(parsed, nothing) if words else nothing)


def _block(number: int, words: list[str], parsed: Parsed) -> str:
    if {len(words)} != set(map(len, parsed)):
        raise DataError(
            f"the parser returned {len(parsed.heads)} words for {len(words)}",
            where=f"sentence {number}",
            expected="a parser keeps the tokens that it gets",
        )
    text = f"{EMPTY_TEXT} {' '.join(words)}".rstrip()
    rows = (
        f"{place}\t{word}\t_\t{tag or '_'}\t_\t_\t{head + 1}\t{relation or '_'}\t_\t_"
        for place, (word, tag, head, relation) in enumerate(zip(words, *parsed, strict=True), 1)
    )
    return "".join(f"{line}\n" for line in chain([f"# sent_id = {number}", text], rows, [""]))
