"""CoNLL-U: words, tags and dependency trees, one word per line, sentences between empty lines.

Multi-word tokens (`3-4`) are kept as ranges, so that a corpus may be tokenised either way: into
syntactic words (de le) or surface tokens (du). Empty nodes (`5.1`) and comments are skipped. A
block without words counts as an empty sentence if it has the comment `# text =` with no text.
The tag is UPOS, or XPOS where UPOS is `_`.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hyperbaton.corpus.text import read_lines
from hyperbaton.corpus.trees.dependencies import constituents, contract
from hyperbaton.corpus.trees.tree import Tree, check_leaves
from hyperbaton.foundation.errors import BadLine, counted

N_COLUMNS = 10
EMPTY_TEXT = "# text ="


@dataclass(frozen=True)
class ConlluSentence:
    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]  # positions from 0, −1 for the root
    tokens: tuple[str, ...]  # surface tokens
    token_of: tuple[int, ...]  # the token of each word

    def over(self, words: list[str]) -> Tree:
        """The tree over these words, which are the sentence's words or its surface tokens."""
        if self._has_tokens(words):
            return constituents(contract(self.heads, self.token_of), self.token_tags())
        check_leaves(self.words, words)
        return constituents(self.heads, self.tags)

    def token_tags(self) -> tuple[str, ...]:
        """Tags of surface tokens; for a token of several words, their tags joined by +."""
        parts: list[list[str]] = [[] for _ in self.tokens]
        for tag, token in zip(self.tags, self.token_of, strict=True):
            parts[token].append(tag)
        return tuple("+".join(tags) for tags in parts)

    def tags_over(self, words: list[str]) -> list[str]:
        """The tags of these words, which are the sentence's words or its surface tokens."""
        if self._has_tokens(words):
            return list(self.token_tags())
        check_leaves(self.words, words, "tags")
        return list(self.tags)

    def _has_tokens(self, words: list[str]) -> bool:
        return tuple(words) == self.tokens and self.tokens != self.words


def read_conllu(path: Path) -> Generator[tuple[int, ConlluSentence | BadLine], None, None]:
    """Yields the first line number and the sentence of every block."""
    for first, rows in _blocks(read_lines(path)):
        bad = next((row for row in rows if isinstance(row, BadLine)), None)
        try:
            yield first, bad or _parse([row for row in rows if isinstance(row, str)])
        except BadLine as error:
            yield first, error


def _blocks(
    lines: Iterable[tuple[int, str | BadLine]],
) -> Iterator[tuple[int, list[str | BadLine]]]:
    """Yields the lines of each sentence without comments."""
    rows: list[str | BadLine] = []
    first, is_empty = 0, False
    for number, line in lines:
        if isinstance(line, str) and line.startswith("#"):
            if line.rstrip() == EMPTY_TEXT:
                first, is_empty = number, True
            continue
        if isinstance(line, BadLine) or line.strip():
            if not rows:
                first = number
            rows.append(line)
        else:
            if rows or is_empty:
                yield first, rows
            rows, is_empty = [], False
    if rows or is_empty:
        yield first, rows


def _parse(rows: list[str]) -> ConlluSentence:
    words: list[str] = []
    tags: list[str] = []
    head_texts: list[str] = []
    ranges: list[tuple[int, int, str]] = []  # surface tokens of several words: [start, end), form
    for row in rows:
        columns = row.split("\t")
        if len(columns) != N_COLUMNS:
            raise _broken(
                f"{row[:40]!r} has {len(columns)} columns", "expected 10, separated by tabs"
            )
        number, form = columns[0], columns[1]
        if "." in number:  # an empty node
            continue
        if "-" in number:
            first, _, last = number.partition("-")
            ranges.append((_number(first) - 1, _number(last), form))
            continue
        if _number(number) != len(words) + 1:
            raise _broken(
                f"word number {number} follows {len(words)}", "expected consecutive numbers"
            )
        words.append(form)
        tags.append(columns[3] if columns[3] != "_" else columns[4])
        head_texts.append(columns[6])
    tokens, token_of = _surface(words, ranges)
    heads = [_head(text, len(words)) for text in head_texts]
    return ConlluSentence(tuple(words), tuple(tags), tuple(heads), tokens, token_of)


def _surface(
    words: list[str], ranges: list[tuple[int, int, str]]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    tokens: list[str] = []
    token_of: list[int] = []
    for start, end, form in ranges:
        if not len(token_of) <= start < end <= len(words):
            raise _broken(
                f"invalid token range {start + 1}-{end}",
                "ranges must be ordered and inside",
            )
        for word in range(len(token_of), start):
            token_of.append(len(tokens))
            tokens.append(words[word])
        token_of += [len(tokens)] * (end - start)
        tokens.append(form)
    for word in range(len(token_of), len(words)):
        token_of.append(len(tokens))
        tokens.append(words[word])
    return tuple(tokens), tuple(token_of)


def _head(text: str, n_words: int) -> int:
    head = _number(text)
    if head > n_words:
        raise _broken(f"head {head} does not exist", f"the sentence has {counted(n_words, 'word')}")
    return head - 1


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise _broken(f"{text!r} is not a word number", "expected 1, 2, 3 ...")
    return int(text)


def _broken(what: str, expected: str) -> BadLine:
    return BadLine("tree", what, expected)
