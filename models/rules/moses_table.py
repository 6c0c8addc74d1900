"""Reads and writes Moses' text format of hierarchical rule tables (gz by name).

    [X][X] o [X][X] [X] ||| [X][X] a [X][X] [X] ||| φ(f|e) lex(f|e) φ(e|f) lex(e|f) |||
    0-2 1-1 2-0 ||| c(e) c(f) c(f,e) ||| |||

The last symbol of each side is the label of the whole rule. Links of gaps say which gaps belong
together.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from hyperbaton.corpus.text import split_words
from hyperbaton.foundation.errors import BadLine, DataError
from hyperbaton.foundation.files.vocabulary import check_words
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.phrases.moses_tables import (
    EntryReader,
    Side,
    each_line,
    fields_of,
    number_texts,
    parsed_links,
    write_lines,
)
from hyperbaton.models.phrases.sorted_trie import parents
from hyperbaton.models.rules.settings import GAP, LONGEST_SPAN, MOST_GAPS, MOST_SYMBOLS
from hyperbaton.models.rules.table import RuleTable

MOSES_GAP, LABEL = "[X][X]", "[X]"
ESCAPED = {"[": "&#91;"}  # as in Moses' tokeniser, at the start of words
GLUE_GRAMMAR = """<s> [X] ||| <s> [S] ||| 1 ||| ||| 0
[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 ||| 0
[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0
"""


def write_rule_table(table: RuleTable, path: Path) -> None:
    scores = number_texts(np.exp(table.scores_of().astype(np.float64)))
    counts = number_texts(table.counts_of())
    rows = sorted(
        (f"{source} {LABEL} ||| {target} {LABEL} ||| ", links, rule)
        for rule, (source, target, links) in enumerate(_spelled(table))
    )
    write_lines(
        path,
        (f"{sides}{scores[n]} ||| {links} ||| {counts[n]} ||| |||\n" for sides, links, n in rows),
    )


def _spelled(table: RuleTable) -> Iterator[tuple[str, str, str]]:
    """Yields source side, target side and links of every rule."""
    above, targets = parents(table.trie).tolist(), list(map(list, table.target_sides))
    words, target_words = (
        [ESCAPED.get(word[:1], word[:1]) + word[1:] for word in vocabulary.words]
        for vocabulary in (table.source_vocabulary, table.target_vocabulary)
    )
    inner = table.inner_of().tolist()
    sides: list[list[str]] = [[]]
    for node, parent in enumerate(above[1:], 1):  # parents come first
        symbol = table.trie_word[node]
        sides.append([*sides[parent], MOSES_GAP if symbol == GAP else words[symbol]])
    for node, (begin, end) in enumerate(pairwise(table.entry_begin.tolist())):
        gaps = [place for place, symbol in enumerate(sides[node]) if symbol == MOSES_GAP]
        for rule in range(begin, end):
            target = targets[table.target[rule]]
            is_gap = [symbol < GAP + MOST_GAPS for symbol in target]
            links = [
                (gaps[symbol - GAP], place) for place, symbol in enumerate(target) if is_gap[place]
            ]
            bits = range(MOST_SYMBOLS * LONGEST_SPAN)
            links += [divmod(b, MOST_SYMBOLS)[::-1] for b in bits if inner[rule] >> b & 1]
            spelled = [
                MOSES_GAP if gap else target_words[symbol]
                for symbol, gap in zip(target, is_gap, strict=True)
            ]
            text = " ".join(f"{source}-{place}" for source, place in sorted(links))
            yield " ".join(sides[node]), " ".join(spelled), text


def read_rule_table(path: Path, progress: Progress = silent) -> tuple[RuleTable, int]:
    """The table, and the number of rules that were left out because of their form."""
    reader = _Reader()
    each_line(path, lambda line: reader.add(fields_of(line)), "reading rules", progress)
    if not len(reader.inner):
        raise DataError("contains no rules", where=str(path))
    return RuleTable.of(reader.finish()), reader.n_left_out


class _Reader(EntryReader):
    def add(self, fields: list[str]) -> None:
        source, target, _, alignment, _ = fields
        left, right = _symbols(source), _symbols(target)
        gaps = [place for place, symbol in enumerate(left) if symbol == MOSES_GAP]
        links = parsed_links(alignment)
        if any(f >= len(left) or e >= len(right) for f, e in links):
            raise BadLine("table", f"the alignment {alignment} has a link outside its rule")
        of_gap = {e: gaps.index(f) for f, e in links if f in gaps}
        found = [place for place, symbol in enumerate(right) if symbol == MOSES_GAP]
        if sorted(of_gap) != found or sorted(of_gap.values()) != list(range(len(gaps))):
            raise BadLine("table", "gaps are not linked one to one", "expected links such as 0-0")
        if (
            len(left) > MOST_SYMBOLS
            or not 0 < len(right) <= LONGEST_SPAN
            or len(gaps) > min(MOST_GAPS, len(left) - 1)
            or any(two == one + 1 for one, two in pairwise(gaps))
        ):
            self.n_left_out += 1
            return
        words = [(f, e) for f, e in links if f not in gaps]
        inner = sum(1 << (MOST_SYMBOLS * e + f) for f, e in set(words))
        ordered = dict.fromkeys(gaps, 0)
        self.add_entry(
            _row(self.source, left, ordered), _row(self.target, right, of_gap), inner, fields
        )


def _row(side: Side, symbols: list[str], gaps: dict[int, int]) -> int:
    """The row of a side, which is added if it is new."""
    words = [symbol for place, symbol in enumerate(symbols) if place not in gaps]
    check_words(words)
    known = iter(side.vocabulary.extend(words))
    places = range(len(symbols))
    ids = tuple(GAP + gaps[place] if place in gaps else next(known) for place in places)
    return side.row_of(ids, ids)


def _symbols(side: str) -> list[str]:
    symbols = split_words(side)
    if len(symbols) < 2 or symbols[-1] != LABEL:
        raise BadLine("table", f"{side[:60]!r} has no label", f"expected {LABEL} as last symbol")
    for symbol in symbols[:-1]:
        if (
            symbol.startswith("[")
            and symbol.endswith("]")
            and symbol != MOSES_GAP
            and len(symbol) > 2
        ):
            raise BadLine("table", f"unknown gap {symbol}", f"expected {MOSES_GAP}")
    return list(symbols[:-1])
