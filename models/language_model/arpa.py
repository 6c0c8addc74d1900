r"""Reads and writes ARPA files, the text format of backoff language models (SRILM, KenLM, others).

    \data\
    ngram 1=5            one such line for each section
    \1-grams:
    -0.9 <s> -0.3        log10 probability, words, optional log10 backoff
    \end\

Files of other tools may be incomplete. A missing <unk> has probability 10^-100, as in KenLM. A
missing prefix of an n-gram is added with its backoff probability, which changes no probability.
Missing suffixes and backoffs are valid. Text before `\data\` is skipped.
"""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from hyperbaton.corpus.text import open_binary, read_error
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.compression import reading_errors
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.hashing import DistinctRows
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.language_model.arpa_lines import (
    ABOVE_ZERO,
    MORE,
    NO_NUMBER,
    NO_WORD,
    SECTION_ENDS,
    TOO_FEW,
    TOO_MANY,
    ParsedLines,
    format_lines,
    index_words,
    parse_lines,
)
from hyperbaton.models.language_model.ngrams import LN10, MAX_ORDER, NGrams, NGramSection, assemble

BYTES_AT_ONCE = 1 << 22  # per read
LINES_AT_ONCE = 1 << 16  # per write
UNKNOWN_LOG10 = -100.0
_COUNT = re.compile(r"ngram\s+([0-9]{1,15})\s*=\s*([0-9]{1,15})")


def write_arpa(ngrams: NGrams, path: Path) -> None:
    """Writes an ARPA file, compressed if its name ends in `.gz`; it appears when it is complete."""
    index = index_words(ngrams.vocabulary)
    with open_to_write(path) as stream:
        counts = "".join(f"ngram {n}={count}\n" for n, count in enumerate(ngrams.counts, 1))
        stream.write(f"\\data\\\n{counts}".encode())
        for length in range(1, ngrams.order + 1):
            stream.write(f"\n\\{length}-grams:\n".encode())
            start, end = ngrams.starts[length : length + 2]
            with_backoff = length < ngrams.order
            probability = ngrams.logprob[start:end] / LN10
            backoff = ngrams.backoff[start:end] / LN10
            words = ngrams.words(length)
            for first in range(0, len(words), LINES_AT_ONCE):
                part = slice(first, first + LINES_AT_ONCE)
                text = format_lines(
                    index, words[part], probability[part], backoff[part], with_backoff
                )
                stream.write(text.tobytes())
        stream.write(b"\n\\end\\\n")


class _Source:
    """A position in an ARPA file, with a buffer of whole lines."""

    def __init__(self, path: Path) -> None:
        self._path, self._stream = path, open_binary(path)
        self.text, self.at = b"", 0
        self._n_before = 0  # lines before the text

    def close(self) -> None:
        self._stream.close()

    def fill(self) -> bool:
        """Refills the buffer if it is used up; False at the end of the file."""
        if self.at == len(self.text):
            self._n_before += self.text.count(b"\n")
            try:
                self.text = self._stream.read(BYTES_AT_ONCE) + self._stream.readline()
            except reading_errors(self._path) as error:
                raise read_error(error, self._path, self._n_before + 1) from None
            self.at = 0
            if self.text and not self.text.endswith(b"\n"):
                self.text += b"\n"
        return bool(self.text)

    def line(self) -> str | None:
        """The next non-empty line, stripped of blanks; None at the end."""
        while self.fill():
            end = self.text.index(b"\n", self.at)
            if self.text[self.at : end].strip(b" \t\r"):
                return self.decoded(self.at, end).strip(" \t\r")
            self.take_line()
        return None

    def take_line(self) -> None:
        self.at = self.text.index(b"\n", self.at) + 1

    def decoded(self, begin: int, end: int) -> str:
        try:
            return self.text[begin:end].decode()
        except UnicodeDecodeError as error:
            raise self.error(
                f"byte 0x{self.text[begin + error.start]:02x} is not UTF-8",
                "convert the file, for instance with iconv -t UTF-8",
                begin,
            ) from None

    def error(self, what: str, expected: str = "", at: int | None = None) -> DataError:
        """An error about a line of the text: the next one, or the one at a given position."""
        line = self._n_before + self.text.count(b"\n", 0, self.at if at is None else at) + 1
        return DataError(what, where=f"{self._path}:{line}", expected=expected)


def read_arpa(
    path: Path, progress: Progress = silent, vocabulary: Vocabulary | None = None
) -> NGrams:
    """Reads an ARPA file, decompressing it by its suffix. Its words are added to `vocabulary`;
    those that were there and are not in the file have the probability of <unk>."""
    vocabulary, sections = vocabulary or Vocabulary(), []
    with closing(_Source(path)) as source:
        for length, count in enumerate(_read_header(source), 1):
            progress(f"reading {length}-grams", count)
            _expect(source, rf"\{length}-grams:")
            if length == 1:
                section, n_read = _read_unigrams(source, vocabulary)
                index = index_words(vocabulary)
            else:
                section = _read_section(source, length, index)
                n_read = len(section.words)
            if n_read != count:
                raise source.error(
                    f"the section ends after {n_read} {length}-grams",
                    f"the header says ngram {length}={count}",
                )
            sections.append(section)
        _expect(source, "\\end\\")
    return assemble(vocabulary, sections, str(path))


def check_header(path: Path) -> int:
    """Rejects a file that is not an ARPA file, or whose order is too high; returns the order."""
    with closing(_Source(path)) as source:
        return len(_read_header(source))


def _read_header(source: _Source) -> list[int]:
    while (line := source.line()) != "\\data\\":
        if line is None:
            raise source.error("the file has no \\data\\ line", "expected an ARPA file")
        source.take_line()
    source.take_line()
    counts: list[int] = []
    while match := _COUNT.fullmatch(source.line() or ""):
        if int(match[1]) != len(counts) + 1:
            raise source.error(f"ngram {match[1]} is out of order", f"expected {len(counts) + 1}")
        counts.append(int(match[2]))
        source.take_line()
    if not 1 <= len(counts) <= MAX_ORDER:
        raise source.error(
            f"the header has {len(counts)} ngram lines", f"expected 1 to {MAX_ORDER}"
        )
    return counts


def _expect(source: _Source, wanted: str) -> None:
    line = source.line()
    if line != wanted:
        found = "the file ends" if line is None else f"found {line!r}"
        raise source.error(found, f"expected {wanted}")
    source.take_line()


def _read_unigrams(source: _Source, vocabulary: Vocabulary) -> tuple[NGramSection, int]:
    """The unigrams, including <unk>, and their number in the file."""
    values: dict[int, tuple[float, float]] = {}
    for part in _parts(source, 1, index_words(vocabulary)):
        for (begin, end), *value in zip(
            part.words.tolist(), part.probability.tolist(), part.backoff.tolist(), strict=True
        ):
            word = source.decoded(begin, end)
            [number] = vocabulary.extend(["<unk>" if word == "<UNK>" else word])  # of older tools
            if number in values:
                raise source.error(f"the word {word!r} is listed twice", at=begin)
            values[number] = value[0], value[1]
    for number, word in enumerate(SPECIAL[1:], 1):
        if number not in values:
            raise source.error(f"{word} is not among the unigrams", "every model needs it")
    n_read = len(values)
    values.setdefault(0, (UNKNOWN_LOG10, 0.0))
    for number in range(len(vocabulary)):
        values.setdefault(number, values[0])
    numbers = np.array(list(values), dtype=np.int32).reshape(-1, 1)
    probability, backoff = LN10 * np.array(list(values.values())).T
    return NGramSection(numbers, probability, backoff), n_read


def _read_section(source: _Source, length: int, index: DistinctRows) -> NGramSection:
    nothing = parse_lines(b"", 0, length, index)
    parts = [nothing, *_parts(source, length, index)]
    words, probability, backoff = map(np.concatenate, list(zip(*parts, strict=True))[:3])
    return NGramSection(words, LN10 * probability, LN10 * backoff)


def _parts(source: _Source, length: int, index: DistinctRows) -> Iterator[ParsedLines]:
    """Yields the n-grams of a section in parts; a bad line is an error."""
    why = MORE
    while why == MORE and source.fill():
        part = parse_lines(source.text, source.at, length, index)
        yield part
        source.at, why = part.stop, part.why
        if why not in (MORE, SECTION_ENDS):
            raise _bad_line(source, length, part)


def _bad_line(source: _Source, length: int, part: ParsedLines) -> DataError:
    if part.why in (TOO_FEW, TOO_MANY):
        what = "too few fields" if part.why == TOO_FEW else "too many fields"
        return source.error(what, f"expected a probability, a {length}-gram, optionally a backoff")
    field = source.decoded(*part.field)
    return source.error(
        {
            NO_NUMBER: f"{field!r:.40} is not a number, or too large",
            ABOVE_ZERO: f"the log probability {field} is above 0",
            NO_WORD: f"the word {field!r} is not among the unigrams",
        }[part.why]
    )
