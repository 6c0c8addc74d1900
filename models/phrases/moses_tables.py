"""Reads and writes Moses' text formats of phrase and reordering tables (gz by name).

    phrase table      f ||| e ||| φ(f|e) lex(f|e) φ(e|f) lex(e|f) ||| 0-0 1-2 |||
                      c(e) c(f) c(f,e) ||| |||
    reordering table  f ||| e ||| probabilities, backward before forward

Lines are sorted by their bytes and numbers have six significant digits, as Moses writes them.
"""

from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.foundation.arrays import FloatArray, GrowingRagged
from hyperbaton.foundation.errors import BadLine, DataError
from hyperbaton.foundation.files.array_files import ArrayFolder
from hyperbaton.foundation.files.vocabulary import Vocabulary, check_words
from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.phrases.entries import LARGEST_COUNT, SCORES
from hyperbaton.models.phrases.reordering import ReorderingType
from hyperbaton.models.phrases.sections import EntrySide, assemble
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.sorted_trie import parents
from hyperbaton.models.phrases.table import PhraseTable

PROGRESS_EVERY = 20_000
CERTAIN = 1.0 + 1e-6  # largest probability, allowing for rounding
LONGEST_LINK = 20  # characters
COMPRESSED_AT_ONCE = 5_000  # lines per write


def write_phrase_table(table: PhraseTable, path: Path) -> None:
    alignments = _alignment_texts(table)
    scores = number_texts(np.exp(table.scores_of().astype(np.float64)))
    counts = number_texts(table.counts_of())
    write_lines(
        path,
        (
            f"{phrases}{scores[entry]} ||| {alignments[entry]} ||| {counts[entry]} ||| |||\n"
            for phrases, entry in _sorted_entries(table)
        ),
    )


def write_reordering_table(table: PhraseTable, path: Path) -> None:
    if not table.reordering_type:
        raise DataError("the phrase table has no reordering scores", where=str(path))
    scores = number_texts(np.exp(table.reordering_of()))
    write_lines(path, (f"{phrases}{scores[entry]}\n" for phrases, entry in _sorted_entries(table)))


def read_phrase_table(
    path: Path,
    reordering_path: Path | None = None,
    reordering_type: str = "",
    progress: Progress = silent,
) -> tuple[PhraseTable, int]:
    """The table, and the number of entries that were skipped because a phrase is too long for the
    inner alignment. The reordering table must have the same phrase pairs, in any order."""
    reader = _Reader()
    each_line(path, lambda line: reader.add(fields_of(line)), "reading phrase pairs", progress)
    reordering = np.empty((len(reader.inner), 0))
    if reordering_path is not None:
        columns = len(ReorderingType.parse(reordering_type).columns)
        reordering = _read_reordering(reordering_path, reader, columns, progress)
    if not len(reader.inner):
        raise DataError("contains no phrase pairs", where=str(path))
    folder = reader.finish(reordering, reordering_type if reordering_path else "")
    return PhraseTable.of(folder), reader.n_left_out


class Side:
    """One side of the entries: distinct phrases by their text, or rows of symbols, as ids."""

    def __init__(self) -> None:
        self.vocabulary, self.words, self.lengths = Vocabulary(), GrowingRagged(), array("i")
        self.rows: dict[Hashable, int] = {}
        self.row_of_entry = array("i")

    def row(self, text: str) -> int:
        row = self.rows.get(text)
        if row is None:
            words = split_words(text)
            check_words(words)
            spelled = " ".join(words)  # extra spaces do not make another phrase
            row = self.rows[text] = self.row_of(spelled, self.vocabulary.extend(words))
        return row

    def row_of(self, key: Hashable, ids: Sequence[int]) -> int:
        row = self.rows.setdefault(key, len(self.words))
        if row == len(self.words):
            self.words.add(ids)
            self.lengths.append(len(ids))
        return row

    def finish(self) -> EntrySide:
        rows = np.array(self.row_of_entry, np.int32)
        return EntrySide(self.vocabulary, self.words.finish(), rows)


class EntryReader:
    """Collects entries column by column."""

    def __init__(self) -> None:
        self.source, self.target = Side(), Side()
        self.entries: dict[int, int] = {}  # number of the entry by its rows
        self.probabilities, self.counts, self.inner = array("d"), array("d"), array("Q")
        self.n_left_out = 0

    def add_entry(self, f: int, e: int, inner: int, fields: list[str]) -> None:
        source, target, scores, _, counts = fields
        if self.entries.setdefault(f << 32 | e, len(self.inner)) < len(self.inner):
            raise BadLine("table", f"the entry {source} ||| {target} is listed twice")
        self.probabilities.extend(parsed_probabilities(scores, len(SCORES)))
        self.counts.extend(parsed_counts(counts))
        self.inner.append(inner)
        self.source.row_of_entry.append(f)
        self.target.row_of_entry.append(e)

    def finish(
        self, reordering: FloatArray | None = None, reordering_type: str = ""
    ) -> ArrayFolder:
        if reordering is None:
            reordering = np.empty((len(self.inner), 0))
        folder = assemble(
            self.source.finish(),
            self.target.finish(),
            [*np.array(self.probabilities).reshape(-1, len(SCORES)).T],
            np.array(self.inner, np.uint64),
            [*np.array(self.counts).reshape(-1, 3).T],
            reordering,
            reordering_type,
        )
        return folder.gathered()


class _Reader(EntryReader):
    def __init__(self) -> None:
        super().__init__()
        # inner alignments repeat, so each text is parsed once
        self.alignments: dict[str, tuple[int, int, int]] = {}

    def add(self, fields: list[str]) -> None:
        source, target, _, alignment, _ = fields
        if _is_too_long(source) or _is_too_long(target):
            self.n_left_out += 1
            return
        f, e = self.source.row(source), self.target.row(target)
        inner = self.alignments.get(alignment)
        if inner is None:
            inner = self.alignments[alignment] = _inner(alignment)
        mask, n_source, n_target = inner
        lengths = self.source.lengths[f], self.target.lengths[e]
        if n_source > lengths[0] or n_target > lengths[1]:
            raise BadLine(
                "table",
                f"the alignment {alignment} has a link outside its phrase pair",
                f"the pair has {lengths[0]} source and {lengths[1]} target words, counted from 0",
            )
        self.add_entry(f, e, mask, fields)

    def entry(self, source: str, target: str) -> int | None:
        """The number of a phrase pair, if it is in the table."""
        f, e = (
            phrases.rows.get(text, phrases.rows.get(" ".join(split_words(text)), -1))
            for phrases, text in ((self.source, source), (self.target, target))
        )
        return self.entries.get(f << 32 | e) if f >= 0 and e >= 0 else None


def _read_reordering(path: Path, reader: _Reader, columns: int, progress: Progress) -> FloatArray:
    """Probabilities in the order of the phrase table's entries."""
    result = np.zeros((len(reader.inner), columns))
    seen = np.zeros(len(reader.inner), bool)

    def take(line: str) -> None:
        source, target, scores, *_ = fields_of(line)
        entry = reader.entry(source, target)
        if entry is None:
            return
        if seen[entry]:
            raise BadLine("table", f"the phrase pair {source} ||| {target} is listed twice")
        result[entry] = parsed_probabilities(scores, columns)
        seen[entry] = True

    each_line(path, take, "reading reordering scores", progress)
    if not seen.all():
        raise DataError(
            f"lacks {np.count_nonzero(~seen)} phrase pairs of the phrase table",
            where=str(path),
            expected="both tables must come from the same training",
        )
    return result


def each_line(path: Path, take: Callable[[str], None], what: str, progress: Progress) -> None:
    for number, _ in parse_lines(path, take):
        if number % PROGRESS_EVERY == 0:
            progress(what, number)


def fields_of(line: str) -> list[str]:
    """Sides, scores, alignment and counts; the last two may be empty."""
    fields = [field.strip(" ") for field in line.split("|||")]
    if len(fields) < 3 or not fields[0] or not fields[1]:
        raise BadLine("table", f"{line[:60]!r} is not an entry", "expected f ||| e ||| scores ...")
    return [*fields, "", ""][:5]


def _is_too_long(text: str) -> bool:
    return text.count(" ") >= GRID and len(split_words(text)) > GRID


def _floats(text: str, n: int) -> list[float]:
    try:
        numbers = [float(number) for number in text.split()]
    except ValueError:
        numbers = []
    if len(numbers) != n:
        raise BadLine("table", f"{text[:60]!r} is not {n} numbers", f"expected {n} numbers")
    return numbers


def parsed_probabilities(text: str, n: int) -> list[float]:
    numbers = _floats(text, n)
    for number in numbers:
        if not 0.0 <= number <= CERTAIN:  # also nan
            raise BadLine("table", f"{number:g} is not a probability", "expected 0 to 1")
    return numbers


def parsed_counts(text: str) -> list[float]:
    """Parses counts, which are fractions if the corpus was weighted; old tables have none."""
    if not text.strip(" |"):
        return [0.0, 0.0, 0.0]
    numbers = _floats(text, 3)
    for number in numbers:
        if not 0.0 <= number <= LARGEST_COUNT:
            raise BadLine("table", f"{number:g} is not a count", "expected a number from 0 up")
    return numbers


def _inner(text: str) -> tuple[int, int, int]:
    """The links as bits, and the smallest numbers of source and target words they need."""
    mask = n_source = n_target = 0
    for f, e in parsed_links(text):
        n_source, n_target = max(n_source, f + 1), max(n_target, e + 1)
        if max(f, e) < GRID:
            mask |= 1 << (GRID * e + f)
    return mask, n_source, n_target


def parsed_links(text: str) -> list[tuple[int, int]]:
    links = []
    for link in text.split():
        source, dash, target = link.partition("-")
        if not (dash and source.isdecimal() and target.isdecimal() and len(link) < LONGEST_LINK):
            raise BadLine("table", f"{link!r:.40} is not a link", "expected links such as 0-0 1-2")
        links.append((int(source), int(target)))
    return links


def write_lines(path: Path, lines: Iterator[str]) -> None:
    with open_to_write(path) as stream:
        while batch := "".join(islice(lines, COMPRESSED_AT_ONCE)):  # single lines are slow
            stream.write(batch.encode())


def _sorted_entries(table: PhraseTable) -> list[tuple[str, int]]:
    """`f ||| e ||| ` and entry number, sorted like Moses' lines by bytes, which in UTF-8 is the
    order of code points."""
    phrases = zip(source_texts(table), target_texts(table), strict=True)
    return sorted((f"{source} ||| {target} ||| ", i) for i, (source, target) in enumerate(phrases))


def source_texts(table: PhraseTable) -> Iterator[str]:
    """The source phrase of every entry, from the trie."""
    words = table.source_vocabulary.decode(table.trie_word.tolist())
    texts = [""]
    above = parents(table.trie).tolist()
    for parent, last in zip(above[1:], words[1:], strict=True):  # parents come first
        texts.append(f"{texts[parent]} {last}" if parent else last)
    sizes = np.diff(table.entry_begin).tolist()
    return (text for text, size in zip(texts, sizes, strict=True) for _ in range(size))


def target_texts(table: PhraseTable) -> list[str]:
    words = table.target_vocabulary.decode(table.target_sides.values.tolist())
    offsets = table.target_sides.offsets.tolist()
    texts = [" ".join(words[begin:end]) for begin, end in pairwise(offsets)]
    return [texts[row] for row in table.target.tolist()]


def _alignment_texts(table: PhraseTable) -> list[str]:
    links = [(bit, f"{bit % GRID}-{bit // GRID}") for bit in range(GRID * GRID)]
    masks = table.alignments.tolist()
    texts = [" ".join(text for bit, text in links if mask >> bit & 1) for mask in masks]
    return [texts[i] for i in table.alignment.tolist()]


def number_texts(columns: FloatArray) -> list[str]:
    form = " ".join(["%.6g"] * columns.shape[1])
    return [form % tuple(row) for row in columns.tolist()]
