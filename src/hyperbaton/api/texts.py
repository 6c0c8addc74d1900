"""Text arguments: a file, or a list of sentences.

A `Path` is a file. A string in a list is a sentence. A string alone names a file, which must exist.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from hyperbaton.foundation.errors import DataError, SettingError, counted
from hyperbaton.foundation.files.writing import make_folder, open_to_write
from hyperbaton.foundation.progress import Reporter, Talk

File: TypeAlias = str | os.PathLike[str]
Text: TypeAlias = File | Iterable[str]
Links: TypeAlias = Sequence[tuple[int, int]]  # of one sentence pair: source and target words

GIVEN = "given"  # folder inside the system for sentences passed as lists


def path_of(given: File, what: str) -> Path:
    """The path of a file; `what` is the name of the argument."""
    if isinstance(given, str) and not _exists(given):
        raise SettingError(
            f"{what}={_shortened(given)!r} is not a file",
            expected="a string alone must name a file",
            advice=f"pass sentences as a list: {what}=[…]",
        )
    return Path(given)


def optional_path(given: File | None) -> Path | None:
    return None if given is None else Path(given)


def is_file(given: Any) -> bool:
    return isinstance(given, (str, os.PathLike))


def sentences_of(given: Text, what: str) -> list[str]:
    """The sentences of a text."""
    if isinstance(given, (str, os.PathLike)):
        from hyperbaton.corpus.text import parse_lines

        return [line for _, line in parse_lines(path_of(given, what), str)]
    return [line.removesuffix("\n") for line in given]


def file_of(given: "Text | Iterable[Links]", what: str, folder: Path) -> Path:
    """The file of a text; sentences or links in a list are written to a new file in the folder."""
    if isinstance(given, (str, os.PathLike)):
        return path_of(given, what)
    rows = (row if isinstance(row, str) else _links_line(row, what) for row in given)
    lines = [row.removesuffix("\n") for row in rows]  # the lines of an open file end in it
    for number, line in enumerate(lines, 1):
        if "\n" in line:
            raise DataError("has a line break", where=f"{what}, sentence {number}")
    path = folder / GIVEN / f"{what}.txt"
    make_folder(path.parent)
    with open_to_write(path) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)
    return path


def reference_groups(given: Any, n_sentences: int) -> list[list[str]]:
    """The references of each sentence, from a file, several paths, a list with one reference per
    sentence, or a list of lists."""
    from hyperbaton.tuning.evaluation.references import read_references

    if is_file(given):
        return read_references([path_of(given, "references")])
    given = list(given)
    if given and all(isinstance(item, os.PathLike) for item in given):
        return read_references(list(map(Path, given)))
    if len(given) != n_sentences:
        files = [text for text in given if isinstance(text, str) and _exists(text)]
        raise DataError(
            f"{counted(len(given), 'reference')} for {counted(n_sentences, 'sentence')}",
            where="references",
            expected="a string in a list is a sentence",
            advice=f"to pass a file, write Path({files[0]!r})" if files else "",
        )
    groups = ([item] if isinstance(item, str) else item for item in given)
    return [[text.removesuffix("\n") for text in group] for group in groups]


def reference_files(given: Any, n_sentences: int, folder: Path) -> tuple[Path, ...]:
    """References as files; those passed as lists are written to new files."""
    if is_file(given):
        return (path_of(given, "references"),)
    if not isinstance(given, Sequence):
        given = list(given)
    if given and all(isinstance(item, os.PathLike) for item in given):
        return tuple(map(Path, given))
    groups = reference_groups(given, n_sentences)
    most = max(map(len, groups), default=1)
    return tuple(
        file_of(
            [group[place] if place < len(group) else "" for group in groups],
            f"references-{place + 1}",
            folder,
        )
        for place in range(most)
    )


def reporter_of(verbose: bool | Talk) -> Reporter:
    """A reporter that is silent, prints to standard error, or passes lines to a function."""
    if callable(verbose):
        return Reporter(verbose)
    return Reporter(_say) if verbose else Reporter()


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _exists(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a file name
        return False


def _links_line(links: Any, what: str) -> str:
    try:
        return " ".join(f"{source}-{target}" for source, target in links)
    except (TypeError, ValueError):
        raise DataError(
            f"{_shortened(repr(links))} is not a sentence",
            where=what,
            expected="strings; an alignment may also be lists of (source, target)",
        ) from None


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
