r"""Reads and writes ARPA files, the text format of backoff language models (SRILM, KenLM, others).

    \data\
    ngram 1=5            as many sections as there are such lines
    \1-grams:
    -0.9 <s> -0.3        log10 probability, words, log10 backoff if there is one
    \end\

Other tools leave things out. A missing <unk> has probability 10^-100, as in KenLM. A missing prefix
of an n-gram is added with the probability that backing off gives it, which changes no probability.
Missing suffixes and backoffs need nothing. Text before `\data\` is skipped.
"""

import re
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.text import open_binary, read_error, split_words
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.compression import reading_errors
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.progress import Progress
from hyperbaton.models.language_model.arpa_lines import (
    BAD_LINE,
    LARGEST_LOG,
    MORE,
    WordIndex,
    format_lines,
    index_words,
    parse_lines,
)
from hyperbaton.models.language_model.ngrams import LN10, MAX_ORDER, NGrams, NGramSection, assemble

BYTES_AT_ONCE = 1 << 22  # that are read
LINES_AT_ONCE = 1 << 16  # that are written
UNKNOWN_LOG10 = -100.0
_COUNT = re.compile(r"ngram\s+([0-9]{1,15})\s*=\s*([0-9]{1,15})")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def write_arpa(ngrams: NGrams, path: Path) -> None:
    """Writes a file, gzip by name, which appears under its name when it is complete."""
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


class ArpaSource:
    """A position in an ARPA file, which is read by line where it is small, else in large pieces.

    `line` and `piece` look ahead; the `take` methods move on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream = open_binary(path)
        self._text, self._at, self._end = b"", 0, 0
        self._n_taken = 0  # lines

    def close(self) -> None:
        self._stream.close()

    def line(self) -> str | None:
        """The next non-empty line, stripped of blanks; None at the end."""
        while self._fill():
            self._end = self._text.index(b"\n", self._at) + 1
            stripped = self._text[self._at : self._end].strip(b" \t\r\n")
            if stripped:
                try:
                    return stripped.decode()
                except UnicodeDecodeError as error:
                    byte = stripped[error.start]
                    raise self.error(
                        f"byte 0x{byte:02x} is not UTF-8",
                        "convert the file first, for instance with iconv -t UTF-8",
                    ) from None
            self.take_line()
        return None

    def take_line(self) -> None:
        self._at, self._n_taken = self._end, self._n_taken + 1

    def piece(self) -> NDArray[np.uint8]:
        """All whole lines at hand; nothing at the end."""
        if not self._fill():
            return np.empty(0, dtype=np.uint8)
        end = self._text.rindex(b"\n") + 1
        return np.frombuffer(self._text, dtype=np.uint8, count=end - self._at, offset=self._at)

    def take_piece(self, n_bytes: int, n_lines: int) -> None:
        self._at, self._n_taken = self._at + n_bytes, self._n_taken + n_lines

    def error(self, what: str, expected: str = "") -> DataError:
        """An error about the line that would be taken next."""
        return DataError(what, where=f"{self.path}:{self._n_taken + 1}", expected=expected)

    def _fill(self) -> bool:
        """Reads on until a whole line is at hand; False at the end of the file."""
        while self._text.find(b"\n", self._at) < 0:
            try:
                more = self._stream.read(BYTES_AT_ONCE)
            except reading_errors(self.path) as error:
                raise read_error(error, self.path, self._n_taken + 1) from None
            rest = self._text[self._at :]
            if not more and not rest:
                return False
            # the last line may lack its end
            self._text, self._at = rest + (more or b"\n"), 0
        return True


def read_arpa(path: Path, progress: Progress | None = None) -> NGrams:
    """The n-grams of an ARPA file, plain or compressed by its name."""
    vocabulary, sections = Vocabulary(), []
    with closing(ArpaSource(path)) as source:
        for length, count in enumerate(_read_header(source), 1):
            if progress:
                progress(f"reading {length}-grams", count)
            _expect(source, rf"\{length}-grams:")
            if length == 1:
                section, n_read = _read_unigrams(source, vocabulary)
                index = index_words(vocabulary)
            else:
                section = _read_section(source, length, index, vocabulary)
                n_read = len(section.words)
            if n_read != count:
                raise source.error(
                    f"the section ends after {n_read} {length}-grams",
                    f"the header says ngram {length}={count}",
                )
            sections.append(section)
        _expect(source, "\\end\\")
    return assemble(vocabulary, sections, str(path))


def _read_header(source: ArpaSource) -> list[int]:
    while (line := source.line()) != "\\data\\":
        if line is None:
            raise source.error("the file has no \\data\\ line", "an ARPA file begins with one")
        source.take_line()
    source.take_line()
    counts: list[int] = []
    while match := _COUNT.fullmatch(source.line() or ""):
        if int(match[1]) != len(counts) + 1:
            raise source.error(f"ngram {match[1]} is out of turn", f"expected {len(counts) + 1}")
        counts.append(int(match[2]))
        source.take_line()
    if not 1 <= len(counts) <= MAX_ORDER:
        raise source.error(
            f"the header has {len(counts)} ngram lines", f"expected 1 to {MAX_ORDER}"
        )
    return counts


def _expect(source: ArpaSource, wanted: str) -> None:
    line = source.line()
    if line != wanted:
        found = "the file ends" if line is None else f"found {line!r}"
        raise source.error(found, f"expected {wanted}")
    source.take_line()


def _read_unigrams(source: ArpaSource, vocabulary: Vocabulary) -> tuple[NGramSection, int]:
    """The unigrams, including <unk>, and how many the file has."""
    values: dict[int, tuple[float, float]] = {}
    while (line := source.line()) is not None and not line.startswith("\\"):
        fields = _checked(source, line, 1, None)
        word = "<unk>" if fields[1] == "<UNK>" else fields[1]  # as older tools write it
        [number] = vocabulary.extend([word])
        if number in values:
            raise source.error(f"the word {word!r} is listed twice")
        values[number] = float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0
        source.take_line()
    for number, word in enumerate(SPECIAL[1:], 1):
        if number not in values:
            raise source.error(f"{word} is not among the unigrams", "sentences need it")
    n_read = len(values)
    values.setdefault(0, (UNKNOWN_LOG10, 0.0))
    numbers = np.array(list(values), dtype=np.int32).reshape(-1, 1)
    probability, backoff = LN10 * np.array(list(values.values())).T
    return NGramSection(numbers, probability, backoff), n_read


def _read_section(
    source: ArpaSource, length: int, index: WordIndex, vocabulary: Vocabulary
) -> NGramSection:
    parts = [parse_lines(np.empty(0, np.uint8), length, index)]
    while parts[-1].why == MORE and len(piece := source.piece()):
        part = parse_lines(piece, length, index)
        source.take_piece(part.stop, part.n_lines)
        if part.why == BAD_LINE:
            line = source.line() or ""
            _checked(source, line, length, vocabulary)  # raises the error
            raise AssertionError(f"the two readers of ARPA lines disagree about {line!r}")
        parts.append(part)
    words, probability, backoff = map(np.concatenate, list(zip(*parts, strict=True))[:3])
    return NGramSection(words, LN10 * probability, LN10 * backoff)


def _checked(
    source: ArpaSource, line: str, length: int, vocabulary: Vocabulary | None
) -> list[str]:
    """The fields of an n-gram line: the slow twin of the compiled reader."""
    fields = split_words(line.replace("\r", " "))
    if not length + 1 <= len(fields) <= length + 2:
        raise source.error(
            "too few fields" if len(fields) <= length else "too many fields",
            f"expected a probability, a {length}-gram, perhaps a backoff",
        )
    for number in (fields[0], *fields[length + 1 :]):
        if not _NUMBER.fullmatch(number) or not abs(float(number)) <= LARGEST_LOG:
            raise source.error(f"{number!r:.40} is not a number, or too large")
    if float(fields[0]) > 0:
        raise source.error(f"the log probability {fields[0]} is above 0")
    for word in fields[1 : length + 1]:
        if vocabulary is not None and word not in vocabulary:
            raise source.error(f"the word {word!r} is not among the unigrams")
    return fields
