"""Reads translation memories (TMX 1.4) as a stream: of every unit, the segments of two languages.

Codes of other formats inside a segment (`bpt`, `ept`, `ph`, `it`, `ut`) are left out; what `hi`
encloses is text. The file may name its DTD, which is not read; declarations in the file itself are
refused, so that no entity can expand.
"""

from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from hyperbaton.corpus.languages import is_same_language
from hyperbaton.corpus.text import open_binary, read_error
from hyperbaton.foundation.errors import BadLine
from hyperbaton.foundation.files.compression import reading_errors

XML_BYTES_AT_ONCE = 1 << 16
CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
EXPECTED = "well-formed XML without declarations of its own"


class Unit(NamedTuple):
    line: int
    source: str
    target: str
    document: str


class _Units:
    """Collects the units that the parser has read to their ends."""

    def __init__(self, languages: tuple[str, str], document_key: str) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.SkippedEntityHandler = self._unknown_entity
        self.found: list[Unit] = []
        self._languages, self._props = languages, {document_key} - {""}
        self._line, self._document = 0, ""
        self._segments: dict[str, str] = {}  # of the unit, by the language that is wanted
        self._language = ""  # of the segment, if it is wanted
        self._parts: list[str] | None = None  # of the text that is being read
        self._n_codes = 0  # how deep in codes that are not text

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "tu":
            self._line, self._document = self.parser.CurrentLineNumber, ""
            self._segments = {}
        elif tag == "tuv":
            code = attributes.get("xml:lang", attributes.get("lang", ""))
            wanted = (one for one in self._languages if is_same_language(code, one))
            self._language = next(wanted, "")
        elif tag == "seg" or (tag == "prop" and attributes.get("type", "") in self._props):
            self._parts = []
        elif tag in CODES:
            self._n_codes += 1

    def _end(self, tag: str) -> None:
        if tag == "seg":
            if self._language:  # of several segments the first
                self._segments.setdefault(self._language, "".join(self._parts or ()))
            self._parts = None
        elif tag == "prop":
            if self._parts is not None:
                self._document = "".join(self._parts)
            self._parts = None
        elif tag in CODES:
            self._n_codes -= 1
        elif tag == "tu":
            source, target = (self._segments.get(one, "") for one in self._languages)
            self.found.append(Unit(self._line, source, target, self._document))

    def _text(self, text: str) -> None:
        if self._parts is not None and not self._n_codes:
            self._parts.append(text)

    def _doctype(
        self, _name: str, _system: str | None, _public: str | None, has_declarations: bool
    ) -> None:
        if has_declarations:
            raise BadLine("broken XML", "declares a document type of its own", EXPECTED)

    def _unknown_entity(self, name: str, _is_parameter: bool) -> None:
        raise BadLine("broken XML", f"has the unknown entity &{name};", EXPECTED)


def read_units(
    path: Path, languages: tuple[str, str], document_key: str = ""
) -> Generator[Unit | BadLine, None, None]:
    """Units; a language that a unit lacks has an empty text. What follows broken XML cannot be
    read: it is the last record."""
    units = _Units(languages, document_key)
    parser = units.parser
    with open_binary(path) as stream:
        is_last = False
        while not is_last:
            bad = None
            try:
                chunk = stream.read(XML_BYTES_AT_ONCE)
                is_last = not chunk
                parser.Parse(chunk, is_last)
            except reading_errors(path) as error:
                raise read_error(error, path, parser.CurrentLineNumber) from None
            except expat.ExpatError as error:
                text = expat.ErrorString(error.code)
                bad = BadLine("broken XML", f"is not XML: {text}", EXPECTED)
            except BadLine as error:
                bad = error
            yield from units.found
            units.found.clear()
            if bad is not None:
                bad.where = f"{path}:{parser.ErrorLineNumber}"
                yield bad
                return
