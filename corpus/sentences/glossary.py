"""Glossaries: translations for terms, wherever they occur in a text.

    kabushiki gaisha<TAB>company           a line for each translation
    kabushiki gaisha<TAB>corporation<TAB>0.5
    # a comment

Terms match from left to right, longest first, and do not overlap. Matching is case-sensitive.
Existing markup of a sentence takes precedence.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from hyperbaton.corpus.sentences.markup import EXCLUSIVE, Term
from hyperbaton.corpus.sentences.markup_text import parse_probability
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.foundation.errors import BadLine, DataError, counted

COMMENT = "#"
MOST_SHOWN = 3  # terms that never matched
GlossaryEntry = tuple[tuple[str, ...], str, float]


@dataclass(frozen=True)
class Glossary:
    """Terms, as tuples of words, with their translations and probabilities."""

    terms: dict[tuple[str, ...], dict[str, float]]
    mode: str = EXCLUSIVE
    matched: set[tuple[str, ...]] = field(default_factory=set, compare=False)  # terms found so far

    @cached_property
    def _longest(self) -> dict[str, int]:
        """The length of the longest term that begins with each word."""
        longest: dict[str, int] = {}
        for words in self.terms:
            longest[words[0]] = max(longest.get(words[0], 0), len(words))
        return longest

    def mark(self, sentence: Sentence) -> Sentence:
        terms: list[Term] = []
        place, n_words = 0, len(sentence)
        while place < n_words:
            longest = min(self._longest.get(sentence.words[place], 0), n_words - place)
            for end in range(place + longest, place, -1):
                translations = self.terms.get(sentence.words[place:end])
                if translations and self._fits(sentence, place, end):
                    terms.append(Term(place, end, translations, self.mode))
                    self.matched.add(sentence.words[place:end])
                    place = end
                    break
            else:
                place += 1
        if not terms:
            return sentence
        markup = sentence.markup
        return replace(sentence, markup=replace(markup, terms=(*markup.terms, *terms)))

    @property
    def unmatched(self) -> str:
        """A message with the number of terms that matched no sentence; empty if all matched. Forms
        that differ only in case are one term."""
        forms = {" ".join(term).lower(): " ".join(term) for term in self.terms}
        matched = {" ".join(term).lower() for term in self.matched}
        never = [term for form, term in forms.items() if form not in matched]
        if not never:
            return ""
        shown = ", ".join(never[:MOST_SHOWN]) + (", …" if len(never) > MOST_SHOWN else "")
        return f"glossary: {len(never)} of {counted(len(forms), 'term')} never matched: {shown}"

    def _fits(self, sentence: Sentence, start: int, end: int) -> bool:
        """Whether a span does not overlap a term, contain a wall, or cross or contain a zone."""
        markup = sentence.markup
        if any(start < wall < end for wall in markup.walls):
            return False
        if any(term.start < end and start < term.end for term in markup.terms):
            return False
        return all(
            end <= first or last <= start or (first <= start and end <= last)
            for first, last in markup.zones
        )


def read_glossary(path: Path, mode: str = EXCLUSIVE) -> Glossary:
    """Reads a glossary; errors give file and line."""
    terms: dict[tuple[str, ...], dict[str, float]] = {}
    lines: dict[tuple[tuple[str, ...], str], int] = {}
    for number, entry in parse_lines(path, _parse):
        if entry is None:
            continue
        source, target, probability = entry
        same = lines.setdefault((source, target), number)
        if same != number:
            raise DataError(f"repeats the translation of line {same}", where=f"{path}:{number}")
        terms.setdefault(source, {})[target] = probability
        try:
            Term(0, 1, terms[source], mode)
        except DataError as error:
            error.where = f"{path}:{number}"
            raise
    return Glossary(terms, mode)


def _parse(line: str) -> GlossaryEntry | None:
    """A line's term, translation and probability; None for a comment or a blank line."""
    if line.startswith(COMMENT) or not split_words(line):
        return None
    fields = line.split("\t")
    if not 2 <= len(fields) <= 3:
        raise BadLine(
            "glossary",
            f"{len(fields)} columns",
            "expected a term, its translation and optionally a probability, separated by tabs",
        )
    source, target = split_words(fields[0]), " ".join(split_words(fields[1]))
    if not source or not target:
        raise BadLine("glossary", f"the {'translation' if source else 'term'} is empty")
    try:
        probability = parse_probability(fields[2]) if len(fields) == 3 else 1.0
    except DataError as error:
        raise BadLine("glossary", error.what, error.expected) from None
    return tuple(source), target, probability
