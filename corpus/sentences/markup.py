"""Markup of a sentence: translations of terms, and limits to reordering.

    kare wa <term translation="novel">hon</term> o , <zone>to itta</zone> <wall/> kanojo wa

These are plain values over spans of words; `markup_text.py` reads them from text, and a glossary
(`glossary.py`) adds terms. Their meaning for the search, where the words of a phrase count as
translated from left to right:

* the words of a zone are translated one after the other, with nothing else between them;
* all words before a wall are translated before any word after it. A wall inside a zone applies only
  to the words of the innermost such zone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hyperbaton.corpus.text import split_words
from hyperbaton.foundation.errors import DataError, nearest
from hyperbaton.foundation.files.vocabulary import check_words

# How the translations of a term combine with those of the phrase table
EXCLUSIVE = "exclusive"  # phrase pairs of the table must not overlap the term
INCLUSIVE = "inclusive"  # all phrase pairs of the table compete with the translations
CONSTRAINT = "constraint"  # overlapping phrase pairs must contain the term and a translation
MODES = (EXCLUSIVE, INCLUSIVE, CONSTRAINT)
MOST_TRANSLATIONS = 32  # of a term
Span = tuple[int, int]


@dataclass(frozen=True)
class Term:
    start: int
    end: int
    translations: Mapping[str, float]
    mode: str = EXCLUSIVE

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            expected = nearest(self.mode, list(MODES))
            raise DataError(f"unknown mode {self.mode!r} of a term", expected=expected)
        if not 1 <= len(self.translations) <= MOST_TRANSLATIONS:
            raise DataError(
                f"a term has {len(self.translations)} translations",
                expected=f"expected 1 to {MOST_TRANSLATIONS}",
            )
        for text, probability in self.translations.items():
            check_words(split_words(text))
            if not split_words(text):
                raise DataError("a translation of a term has no words")
            if not 0 < probability <= 1:
                raise DataError(
                    f"{probability} is not a valid probability for the translation {text!r}",
                    expected="expected more than 0, at most 1",
                )


@dataclass(frozen=True)
class Markup:
    """All marks of a sentence. Spans are half-open; a wall stands before the word of its number."""

    terms: tuple[Term, ...] = ()
    zones: tuple[Span, ...] = ()
    walls: tuple[int, ...] = ()

    def check(self, n_words: int) -> None:
        """Rejects markup outside the sentence, inside a term, or crossing other markup."""
        spans = [(*zone, "zone") for zone in self.zones]
        spans += [(term.start, term.end, "term") for term in self.terms]
        around: list[tuple[int, int, str]] = []
        for start, end, what in sorted(spans, key=lambda span: (span[0], -span[1])):
            if not 0 <= start < end <= n_words:
                raise DataError(
                    f"the {what} {start}:{end} is outside the sentence of {n_words} words"
                )
            while around and around[-1][1] <= start:
                around.pop()
            if around and (end > around[-1][1] or around[-1][2] == "term"):
                how = "crosses" if end > around[-1][1] else "is inside"
                other = "{}:{}".format(*around[-1])
                raise DataError(f"the {what} {start}:{end} {how} the {around[-1][2]} {other}")
            around.append((start, end, what))
        for wall in self.walls:
            if not 0 <= wall <= n_words:
                raise DataError(f"the wall {wall} is outside the sentence of {n_words} words")
            if any(term.start < wall < term.end for term in self.terms):
                raise DataError(f"the wall {wall} is inside a term")

    def scopes(self, n_words: int) -> Iterator[tuple[int, Span]]:
        """Each wall with the span that it divides: a zone or the sentence."""
        for wall in self.walls:
            around = [(start, end) for start, end in self.zones if start < wall < end]
            yield wall, min(around, key=lambda zone: zone[1] - zone[0], default=(0, n_words))

    def around(self, place: int) -> Span:
        """The outermost zone or term that spans a place; an empty span if there is none."""
        spans = [*self.zones, *((term.start, term.end) for term in self.terms)]
        across = [span for span in spans if span[0] < place < span[1]]
        return max(across, key=lambda span: span[1] - span[0], default=(place, place))

    def part(self, begin: int, end: int) -> "Markup":
        return Markup(
            tuple(
                Term(term.start - begin, term.end - begin, term.translations, term.mode)
                for term in self.terms
                if begin <= term.start and term.end <= end
            ),
            tuple(
                (start - begin, stop - begin)
                for start, stop in self.zones
                if begin <= start and stop <= end
            ),
            tuple(wall - begin for wall in self.walls if begin < wall < end),
        )


NO_MARKUP = Markup()
