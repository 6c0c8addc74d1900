"""Reads translations and their references.

A hypothesis file has one translation per line, plain or as JSON with the key "translation" (as
`translate` writes it) or "text" (as `compare` does); the first line decides. Every reference file
has a line for each sentence. In the first file an empty line is an empty reference; in the others
it means that the sentence has no such reference, so that sentences may have different numbers of
references.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hyperbaton.corpus.text import parse_lines
from hyperbaton.foundation.errors import BadLine, DataError, SettingError
from hyperbaton.tuning.metrics.visits import JSON_LINE, TEXT_KEYS, first_of, parse_json

END = re.compile(r"""(.)[.!?。！？][ "'”’»)」』]*$""")


@dataclass(frozen=True)
class HypothesisFile:
    sentences: list[str]
    is_json: bool  # then the file may also have alignments


def read_hypotheses(path: Path) -> HypothesisFile:
    lines = _read(path)
    if not lines or not _is_json_object(lines[0]):
        return HypothesisFile(lines, is_json=False)
    sentences = []
    for number, line in enumerate(lines, 1):
        try:
            sentences.append(_translation(line))
        except BadLine as bad:
            bad.where = f"{path}:{number}"
            raise
    return HypothesisFile(sentences, is_json=True)


def read_references(paths: Sequence[Path]) -> list[list[str]]:
    """Reads the references of every sentence, at least one."""
    check_standard_input(paths)
    files = [_read(path) for path in paths]
    check_line_counts({str(path): len(lines) for path, lines in zip(paths, files, strict=True)})
    where = ", ".join(map(str, paths))
    if not files or not files[0]:
        raise DataError("there are no references", where=where)
    if not any(line.strip() for lines in files for line in lines):
        raise DataError("all references are empty", where=where)
    groups = []
    for first, *others in zip(*files, strict=True):
        given = [line for line in others if line.strip()]
        # An empty line in the first file is an empty reference only if the sentence has no other
        groups.append(given if given and not first.strip() else [first, *given])
    return groups


def look_raw(groups: Sequence[Sequence[str]]) -> bool:
    """Whether most sentences end in punctuation attached to a word, as in text not tokenised.

    >>> look_raw([["He came.", "So he did ."], ["「来た。」"]]), look_raw([["He came ."]])
    (True, False)
    """
    ends = [str(end[1]) for group in groups for line in group if (end := END.search(line))]
    return 2 * sum(before != " " for before in ends) > len(ends)


def check_line_counts(counts: dict[str, int]) -> None:
    """Raises unless all files have the same number of lines."""
    if len(set(counts.values())) > 1:
        shortest, longest = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
        raise DataError(
            "the file ends here",
            where=f"{shortest}:{counts[shortest] + 1}",
            expected=f"{longest} has {counts[longest]} lines; all files need the same number",
        )


def check_standard_input(paths: Sequence[Path]) -> None:
    """Raises if several files are standard input, which can only be read once."""
    if sum(str(path) == "-" for path in paths) > 1:
        raise SettingError(
            "several files cannot be standard input", expected="give - for one of them only"
        )


def _read(path: Path) -> list[str]:
    return [line for _, line in parse_lines(path, str)]


def _is_json_object(line: str) -> bool:
    try:
        return line.lstrip().startswith("{") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _translation(line: str) -> str:
    expected = f"lines look like {JSON_LINE}, as the first line does"
    translation = first_of(parse_json(line, expected), TEXT_KEYS, str)
    if translation is None:
        raise BadLine("JSON", 'no text "translation"', expected)
    return translation
