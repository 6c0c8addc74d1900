"""Markup and glossaries of raw text: what was said of words is said of their tokens."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hyperbaton.corpus.sentences.glossary import Glossary
from hyperbaton.corpus.sentences.markup import Markup

Tokenise = Callable[[str], list[str]]
TextSpan = tuple[int, int]


def markup_over_tokens(
    markup: Markup, line: str, places: list[TextSpan], translate: Tokenise
) -> Markup:
    """The marks of a line of words, for tokens at these places; `translate` makes tokens of the
    translations of terms."""
    words = [match.span() for match in re.finditer(r"[^ \t]+", line)]
    begins = [begin for begin, _ in words] + [len(line)]

    def token(word: int) -> int:
        """The first token of a word, or of what comes next."""
        return sum(end <= begins[word] for _, end in places)

    def span(start: int, end: int) -> TextSpan:
        return token(start), token(end)

    zones = (span(*zone) for zone in markup.zones)
    terms = (
        replace(term, start=first, end=last, translations=_tokens(term.translations, translate))
        for term in markup.terms
        for first, last in [span(term.start, term.end)]
        if first < last
    )
    return Markup(
        tuple(terms),
        tuple((first, last) for first, last in zones if first < last),
        tuple(sorted({token(wall) for wall in markup.walls})),
    )


def glossary_of_tokens(
    glossary: Glossary, source: Sequence[Tokenise], target: Tokenise
) -> Glossary:
    """A term may look different inside of a sentence and at its beginning: all forms count."""
    terms: dict[tuple[str, ...], dict[str, float]] = {}
    for tokenise in source:
        for words, translations in glossary.terms.items():
            tokens = tuple(tokenise(" ".join(words)))
            if tokens:
                terms.setdefault(tokens, _tokens(translations, target))
    return replace(glossary, terms=terms)


def _tokens(translations: Mapping[str, float], tokenise: Tokenise) -> dict[str, float]:
    return {" ".join(tokenise(text)): number for text, number in translations.items()}
