r"""Reads ARPA files: the text format of backoff language models (SRILM, KenLM and others).

    \data\
    ngram 1=5            as many sections as there are such lines
    \1-grams:
    -0.9 <s> -0.3        log10 probability, words, log10 backoff if there is one
    \end\

Other writers leave things out, which has a meaning. A missing <unk> has
probability 10^-100, as in KenLM. A missing prefix of an n-gram is put in with the probability that
backing off gives it; that changes no probability. Missing suffixes and backoffs need nothing. Text
before `\data\` is skipped.
"""

import re
from math import isfinite
from pathlib import Path

import numpy as np

from models.data.text import split_words
from models.data.vocabulary import SPECIAL, Vocabulary
from models.errors import DataError
from models.language_model.arpa_lines import BAD_LINE, MORE, parse_lines
from models.language_model.arpa_source import ArpaSource
from models.language_model.assembly import Section, assemble
from models.language_model.log10 import from_log10
from models.language_model.ngrams import MAX_ORDER, NGrams
from models.language_model.word_index import WordIndex, index_words
from models.progress import Progress

UNKNOWN_LOG10 = -100.0
_COUNT = re.compile(r"ngram\s+([0-9]{1,15})\s*=\s*([0-9]{1,15})")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def read_arpa(path: Path, progress: Progress | None = None) -> NGrams:
    """The n-grams of an ARPA file, plain or gzip by its name."""
    source = ArpaSource(path)
    vocabulary, sections = Vocabulary(), []
    try:
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
    finally:
        source.close()
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


def _read_unigrams(source: ArpaSource, vocabulary: Vocabulary) -> tuple[Section, int]:
    """The unigrams, <unk> among them, and how many the file has."""
    values: dict[int, tuple[float, float]] = {}
    while (line := source.line()) is not None and not line.startswith("\\"):
        fields = _checked(source, line, 1, None)
        word = "<unk>" if fields[1] == "<UNK>" else fields[1]  # written so by older tools
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
    probability, backoff = from_log10(np.array(list(values.values()))).T
    return Section(numbers, probability, backoff), n_read


def _read_section(
    source: ArpaSource, length: int, index: WordIndex, vocabulary: Vocabulary
) -> Section:
    parts = []
    why = MORE
    while why == MORE and len(piece := source.piece()):
        part = parse_lines(piece, length, index)
        why = part.why
        source.take_piece(part.stop, part.n_lines)
        if why == BAD_LINE:
            raise _bad_line(source, length, vocabulary)
        parts.append(part)
    if not parts:
        return Section(np.empty((0, length), dtype=np.int32), np.empty(0), np.empty(0))
    words, probability, backoff, *_ = zip(*parts, strict=True)
    return Section(
        np.concatenate(words),
        from_log10(np.concatenate(probability)),
        from_log10(np.concatenate(backoff)),
    )


def _bad_line(source: ArpaSource, length: int, vocabulary: Vocabulary) -> DataError:
    """What is wrong with the line that the compiled reader has refused."""
    line = source.line()
    try:
        _checked(source, line or "", length, vocabulary)
    except DataError as error:
        return error
    raise AssertionError(f"the two readers of ARPA lines disagree about {line!r}")


def _checked(
    source: ArpaSource, line: str, length: int, vocabulary: Vocabulary | None
) -> list[str]:
    """The fields of an n-gram line; the slow twin of the compiled reader."""
    fields = split_words(line.replace("\r", " "))
    if not length + 1 <= len(fields) <= length + 2:
        raise source.error(
            "too few fields" if len(fields) <= length else "too many fields",
            f"expected a probability, a {length}-gram, perhaps a backoff",
        )
    for number in (fields[0], *fields[length + 1 :]):
        if not _NUMBER.fullmatch(number) or not isfinite(float(number)):
            raise source.error(f"{number!r} is not a number")
    if float(fields[0]) > 0:
        raise source.error(f"the log probability {fields[0]} is above 0")
    for word in fields[1 : length + 1]:
        if vocabulary is not None and word not in vocabulary:
            raise source.error(f"the word {word!r} is not among the unigrams")
    return fields
