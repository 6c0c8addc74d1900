"""Reads text with Moses' markup: terms with translations, zones and walls.

    <term translation="novel||book" prob="0.8||0.2">hon</term>    any name but zone and wall
    <zone>to itta</zone>    <wall/>    &lt; &gt; &amp; &quot; &apos;

A tag ends a word, with or without a space. Zones may contain zones, walls and terms; terms contain
only words. A < is text unless a letter or / follows; an & is text unless it begins an entity.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from hyperbaton.corpus.sentences.markup import EXCLUSIVE, Markup, Span, Term
from hyperbaton.corpus.text import split_words
from hyperbaton.foundation.errors import BadLine, DataError, nearest

ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'"}
ZONE, WALL = "zone", "wall"
SEPARATOR = "||"  # between translations, and between their probabilities
_ENTITY = re.compile("|".join(ENTITIES))
_TAG_BEGINS = re.compile(r"<(?=[/A-Za-z])")
_TAG = re.compile(
    r"""<(?P<closes>/?)(?P<name>[A-Za-z][\w.-]*)
        (?P<attributes>(?:\s+[\w.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?P<empty>/?)>""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class BadMarkup(BadLine):
    """An error in the markup of a line; columns count characters from 1."""

    def __init__(self, column: int, what: str, expected: str = "") -> None:
        super().__init__("markup", what, expected)
        self.column = column
        self.where = f"column {column}"

    def at_line(self, number: int) -> "BadMarkup":
        self.where = f"line {number}, column {self.column}"
        return self


class Marked(NamedTuple):
    """A line without its tags, and its markup."""

    line: str
    markup: Markup


class _Tag(NamedTuple):
    name: str
    column: int
    start: int  # number of the first word after it
    attributes: dict[str, str]


@dataclass
class _Reader:
    """Parser state: the line up to the current tag."""

    mode: str
    words: list[str] = field(default_factory=list)
    open: list[_Tag] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    zones: list[Span] = field(default_factory=list)
    walls: list[int] = field(default_factory=list)
    near: list[list[int]] = field(default_factory=lambda: [[]])  # walls of the open zones

    def text(self, text: str) -> None:
        self.words += split_words(_plain(text))

    def tag(self, match: re.Match[str], column: int) -> None:
        tag = _Tag(match["name"], column, len(self.words), _attributes(match, column))
        if match["closes"]:
            if tag.attributes or match["empty"]:
                raise BadMarkup(column, f"{match[0]} is not a valid tag", f"write </{tag.name}>")
            self._close(tag)
        elif self.open and self.open[-1].name != ZONE:
            what = f"<{tag.name}> inside <{self.open[-1].name}>"
            raise BadMarkup(column, what, "a term contains only words")
        elif tag.name == WALL:
            self._wall(tag, is_empty=bool(match["empty"]))
        elif match["empty"]:
            raise BadMarkup(column, f"<{tag.name}/> contains no words")
        else:
            self._open(tag)

    def _wall(self, tag: _Tag, *, is_empty: bool) -> None:
        if tag.attributes or not is_empty:
            raise BadMarkup(
                tag.column, "a wall is a single tag without attributes", "write <wall/>"
            )
        self.near[-1].append(tag.start)

    def _open(self, tag: _Tag) -> None:
        known = () if tag.name == ZONE else ("translation", "prob")
        for name in tag.attributes:
            if name not in known:
                expected = nearest(name, [*known]) if known else "a zone has no attributes"
                raise BadMarkup(tag.column, f"unknown attribute {name!r}", expected)
        if known and "translation" not in tag.attributes:
            expected = 'expected <zone>, <wall/>, or a term: <term translation="…">'
            raise BadMarkup(tag.column, f"<{tag.name}> has no translation", expected)
        self.open.append(tag)
        if tag.name == ZONE:
            self.near.append([])

    def _close(self, tag: _Tag) -> None:
        if not any(tag.name == other.name for other in self.open):
            raise BadMarkup(tag.column, f"</{tag.name}> without <{tag.name}>")
        opened = self.open.pop()
        if opened.name != tag.name:
            what = f"</{tag.name}> before </{opened.name}>"
            raise BadMarkup(tag.column, what, f"<{opened.name}> begins at column {opened.column}")
        if opened.start == tag.start:
            raise BadMarkup(opened.column, f"<{tag.name}> contains no words")
        if tag.name == ZONE:
            self.zones.append((opened.start, tag.start))
            self._keep_walls(opened.start, tag.start)
        else:
            self.terms.append(self._term(opened, tag.start))

    def _keep_walls(self, start: int, end: int) -> None:
        """Keeps the walls of a zone or the sentence, except those at its ends."""
        self.walls += sorted({wall for wall in self.near.pop() if start < wall < end})

    def _term(self, tag: _Tag, end: int) -> Term:
        texts = [" ".join(split_words(t)) for t in tag.attributes["translation"].split(SEPARATOR)]
        given = tag.attributes["prob"].split(SEPARATOR) if "prob" in tag.attributes else []
        if given and len(given) != len(texts):
            what = f"{len(texts)} translations and {len(given)} probabilities"
            raise BadMarkup(tag.column, what, f"expected as many of each, separated by {SEPARATOR}")
        if len(set(texts)) < len(texts):
            raise BadMarkup(tag.column, "a translation is given twice")
        try:
            numbers = list(map(parse_probability, given)) or [1.0] * len(texts)
            return Term(tag.start, end, dict(zip(texts, numbers, strict=True)), self.mode)
        except DataError as error:
            raise BadMarkup(tag.column, error.what, error.expected) from None

    def finish(self) -> Marked:
        for tag in self.open[-1:]:
            raise BadMarkup(tag.column, f"<{tag.name}> without </{tag.name}>")
        self._keep_walls(0, len(self.words))
        markup = Markup(tuple(self.terms), tuple(self.zones), tuple(self.walls))
        return Marked(" ".join(self.words), markup)


def read_markup(line: str, mode: str = EXCLUSIVE) -> Marked:
    """Separates a line into text and markup; all terms get the mode."""
    reader, at = _Reader(mode), 0
    while begins := _TAG_BEGINS.search(line, at):
        column = begins.start() + 1
        reader.text(line[at : begins.start()])
        match = _TAG.match(line, begins.start())
        if not match:
            expected = "write &lt; for a < that is text"
            raise BadMarkup(column, f"{line[begins.start() :][:20]!r} is not a tag", expected)
        reader.tag(match, column)
        at = match.end()
    reader.text(line[at:])
    return reader.finish()


def parse_probability(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(
            f"{text!r} is not a probability", expected="expected a number such as 0.8"
        ) from None


def _attributes(match: re.Match[str], column: int) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, double, single in _ATTRIBUTE.findall(match["attributes"]):
        if name in attributes:
            raise BadMarkup(column, f"the attribute {name!r} is given twice")
        attributes[name] = _plain(double or single)
    return attributes


def _plain(text: str) -> str:
    return _ENTITY.sub(lambda entity: ENTITIES[entity[0]], text)
