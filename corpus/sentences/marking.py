"""Parses lines into sentences with markup, then adds the terms of a glossary."""

from dataclasses import dataclass, replace

from hyperbaton.corpus.sentences.glossary import Glossary
from hyperbaton.corpus.sentences.markup import MODES, NO_MARKUP
from hyperbaton.corpus.sentences.markup_text import Marked, read_markup
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.errors import SettingError, nearest

IGNORE = "ignore"  # tags are removed without effect
PASS_THROUGH = "pass-through"  # tags are ordinary words
MARKUP = (*MODES, IGNORE, PASS_THROUGH)


@dataclass(frozen=True)
class Marking:
    """How to read markup: a mode for its terms, IGNORE or PASS_THROUGH; and a glossary.

    >>> sentence = Marking("exclusive").parse('a <term translation="x y">b c</term>')
    >>> sentence.words
    ('a', 'b', 'c')
    >>> sentence.markup.terms
    (Term(start=1, end=3, translations={'x y': 1.0}, mode='exclusive'),)
    """

    markup: str = PASS_THROUGH
    glossary: Glossary | None = None

    def __post_init__(self) -> None:
        if self.markup not in MARKUP:
            expected = nearest(self.markup, list(MARKUP))
            raise SettingError(f"unknown markup mode {self.markup!r}", expected=expected)

    def parse(self, line: str, *, factored: bool = False) -> Sentence:
        return self.mark(marked_sentence(self.read(line), factored=factored))

    def read(self, line: str) -> Marked:
        """The text of a line and its markup."""
        if self.markup == PASS_THROUGH:
            return Marked(line, NO_MARKUP)
        marked = read_markup(line, self.markup if self.markup in MODES else MODES[0])
        return marked if self.markup in MODES else Marked(marked.line, NO_MARKUP)

    def mark(self, sentence: Sentence) -> Sentence:
        """Adds the terms of the glossary."""
        return sentence if self.glossary is None else self.glossary.mark(sentence)


def marked_sentence(marked: Marked, *, factored: bool = False) -> Sentence:
    return replace(Sentence.parse(marked.line, factored=factored), markup=marked.markup)
