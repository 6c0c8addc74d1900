"""Reads raw parallel text: two text files, tab-separated columns, JSON lines, or TMX.

Every reader yields pairs; for a bad record, it yields the error instead.
"""

import json
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from xml.parsers import expat

from hyperbaton.corpus.languages import is_same_language
from hyperbaton.corpus.text import open_binary, read_error, read_lines
from hyperbaton.foundation.errors import BadLine, SettingError
from hyperbaton.foundation.files.compression import plain_name, reading_errors

FORMATS = {
    "tsv": (".tsv",), "tmx": (".tmx",), "jsonl": (".jsonl", ".ndjson", ".json"), "text": ()
}  # fmt: skip
XML_BYTES_AT_ONCE = 1 << 16
CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
EXPECTED = "expected well-formed XML without an internal DTD"


class RawPair(NamedTuple):
    line: int  # in the first file
    source: str
    target: str
    document: str = ""


Records: TypeAlias = Generator[RawPair | BadLine, None, None]


@dataclass(frozen=True)
class RawFiles:
    """The files of raw text, and which parts of them to read."""

    paths: tuple[Path, ...]  # two text files, or one of another format
    source_language: str
    target_language: str
    form: str = ""  # a key of FORMATS; empty: from the file name
    columns: tuple[int, ...] = (1, 2)  # of a TSV file, from 1: source, target, perhaps document
    documents: Path | None = None  # for text files: the document of each line
    document_key: str = ""  # of JSON objects, or a `prop` of TMX

    @property
    def format(self) -> str:
        if self.form:
            return self.form
        name = plain_name(self.paths[0]).lower()
        forms = [form for form, endings in FORMATS.items() if endings and name.endswith(endings)]
        return "text" if len(self.paths) == 2 else forms[0] if forms else ""

    def check(self) -> None:
        if not self.format:
            raise SettingError(
                f"{self.paths[0]}: unknown format, by the file name",
                expected=f"expected --format {', '.join(FORMATS)}; or two text files",
            )
        n_wanted = 2 if self.format == "text" else 1
        if len(self.paths) != n_wanted:
            files = "two files" if n_wanted == 2 else "one file"
            raise SettingError(f"the format {self.format} takes {files}, not {len(self.paths)}")
        if len(self.columns) not in (2, 3) or min(self.columns) < 1:
            raise SettingError(
                f"--columns is {','.join(map(str, self.columns))}",
                expected="expected numbers from 1: source,target or source,target,document",
            )


def read_pairs(files: RawFiles) -> Records:
    readers = {"text": _texts, "tsv": _tsv, "jsonl": _jsonl, "tmx": _tmx}
    with closing(readers[files.format](files)) as records:
        yield from records


def _texts(files: RawFiles) -> Records:
    paths = [*files.paths, *([files.documents] if files.documents else [])]
    for number, lines in enumerate(zip_longest(*map(read_lines, paths)), 1):
        bad = None
        for path, line in zip(paths, lines, strict=True):
            if line is None:
                bad = BadLine(
                    "a missing line",
                    "the file ends here",
                    "all files must have the same number of lines",
                )
            elif isinstance(line[1], BadLine):
                bad = line[1]
            if bad is not None:
                yield _at(bad, path, number)
                break
        if bad is None:
            yield RawPair(number, *(str(line[1]) for line in lines))


def _tsv(files: RawFiles) -> Records:
    [path] = files.paths
    for number, line in read_lines(path):
        if isinstance(line, BadLine):
            yield _at(line, path, number)
            continue
        cells = line.split("\t")
        if len(cells) < max(files.columns):
            bad = BadLine(
                "missing columns", f"has {len(cells)} columns", f"expected {max(files.columns)}"
            )
            yield _at(bad, path, number)
        else:
            yield RawPair(number, *(cells[column - 1] for column in files.columns))


def _jsonl(files: RawFiles) -> Records:
    [path] = files.paths
    for number, line in read_lines(path):
        try:
            if isinstance(line, BadLine):
                raise line
            if line.strip():
                yield _json_pair(number, line, files)
        except BadLine as bad:
            yield _at(bad, path, number)


def _json_pair(number: int, line: str, files: RawFiles) -> RawPair:
    """Parses `{"translation": {"ja": …, "en": …}}`, or only the inner object."""
    languages = files.source_language, files.target_language
    expected = f'expected {{"translation": {{"{languages[0]}": "…", "{languages[1]}": "…"}}}}'
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadLine("broken JSON", f"is not JSON: {error}", expected) from None
    sides = record.get("translation", record) if isinstance(record, dict) else None
    texts: list[Any] = [sides.get(code) if isinstance(sides, dict) else None for code in languages]
    if not all(isinstance(text, str) for text in texts):
        raise BadLine("broken JSON", "lacks text in one of the languages", expected)
    document = record.get(files.document_key)
    source, target, name = *texts, "" if document is None else str(document)
    if any("\ud800" <= letter <= "\udfff" for letter in source + target + name):
        raise BadLine("broken JSON", "has half of a surrogate pair", "expected whole characters")
    return RawPair(number, source, target, name)


class _Units:
    """Collects the complete units of a translation memory (TMX 1.4), in two languages.

    Formatting codes inside a segment (`bpt`, `ept`, `ph`, `it`, `ut`) are dropped; the content of
    `hi` is text. An external DTD is not read; an internal one is rejected, so that no entity can
    expand.
    """

    def __init__(self, languages: tuple[str, str], document_key: str) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.SkippedEntityHandler = self._unknown_entity
        self.found: list[RawPair] = []
        self._languages, self._props = languages, {document_key} - {""}
        self._line, self._document = 0, ""
        self._segments: dict[str, str] = {}  # of the current unit, by wanted language
        self._language = ""  # of the current segment; empty if it is not wanted
        self._parts: list[str] | None = None  # of the current text
        self._n_codes = 0  # depth of nested formatting codes

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "tu":
            self._line, self._document = self.parser.CurrentLineNumber, ""
            self._segments = {}
        elif tag == "tuv":
            code = attributes.get("xml:lang", attributes.get("lang", ""))
            wanted = (lang for lang in self._languages if is_same_language(code, lang))
            self._language = next(wanted, "")
        elif tag == "seg" or (tag == "prop" and attributes.get("type", "") in self._props):
            self._parts = []
        elif tag in CODES:
            self._n_codes += 1

    def _end(self, tag: str) -> None:
        if tag == "seg":
            if self._language:  # keep the first of several segments
                self._segments.setdefault(self._language, "".join(self._parts or ()))
            self._parts = None
        elif tag == "prop":
            if self._parts is not None:
                self._document = "".join(self._parts)
            self._parts = None
        elif tag in CODES:
            self._n_codes -= 1
        elif tag == "tu":
            source, target = (self._segments.get(lang, "") for lang in self._languages)
            self.found.append(RawPair(self._line, source, target, self._document))

    def _text(self, text: str) -> None:
        if self._parts is not None and not self._n_codes:
            self._parts.append(text)

    def _doctype(
        self, _name: str, _system: str | None, _public: str | None, has_declarations: bool
    ) -> None:
        if has_declarations:
            raise BadLine("broken XML", "has an internal DTD", EXPECTED)

    def _unknown_entity(self, name: str, _is_parameter: bool) -> None:
        raise BadLine("broken XML", f"has the unknown entity &{name};", EXPECTED)


def _tmx(files: RawFiles) -> Records:
    """Yields the units of a TMX file; a missing language gives an empty text. Stops at broken XML,
    which is the last record."""
    [path] = files.paths
    units = _Units((files.source_language, files.target_language), files.document_key)
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
                yield _at(bad, path, parser.ErrorLineNumber)
                return


def _at(bad: BadLine, path: Path, number: int) -> BadLine:
    bad.where = f"{path}:{number}"
    return bad
