"""The data of a comparison: the selected lines of larger files."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.text import open_binary
from hyperbaton.foundation.errors import DataError, counted
from hyperbaton.foundation.files.writing import make_folder, open_to_write
from hyperbaton.tuning.comparison.configuration import Configuration, TrainingData, line_range
from hyperbaton.tuning.evaluation.data_sets import ALL_LINES, DataSet

Data = TypeVar("Data", TrainingData, DataSet)


def cut_out(configuration: Configuration, folder: Path) -> Configuration:
    """Copies the selected lines of all files to `folder`; returns the configuration with these
    files."""
    return replace(
        configuration,
        train=_cut(configuration.train, "train", folder),
        dev=_cut(configuration.dev, "dev", folder),
        test=tuple(_cut(test, f"test-{test.name}", folder) for test in configuration.test),
    )


def corpus_files(data: TrainingData) -> CorpusFiles:
    names = [field.name for field in fields(CorpusFiles)]
    return CorpusFiles(**{name: getattr(data, name) for name in names})


def take(data: TrainingData, lines: Collection[int], folder: Path) -> TrainingData:
    """Copies some lines, counted from 0, of all files to `folder`."""
    wanted = set(lines)
    return _copied(
        data, folder, lambda _, records: [r for n, r in enumerate(records) if n in wanted]
    )


def _cut(data: Data, name: str, folder: Path) -> Data:
    if data.lines == ALL_LINES:
        return data
    first, last = line_range(data.lines)

    def select(path: Path, records: Iterable[bytes]) -> list[bytes]:
        kept = list(islice(records, first, last))
        if last is not None and len(kept) < last - first:
            raise DataError(
                f"has {counted(first + len(kept), 'sentence')}",
                where=str(path),
                expected=f"the configuration selects lines up to {last:,}",
            )
        return kept

    return _copied(data, folder / name, select)


Select = Callable[[Path, Iterable[bytes]], list[bytes]]  # selects records of a file


def _copied(data: Data, folder: Path, select: Select) -> Data:
    make_folder(folder)
    changed: dict[str, object] = {"lines": ALL_LINES}
    for field in fields(data):
        value = getattr(data, field.name)
        if isinstance(value, Path):
            changed[field.name] = _copy_file(value, folder / field.name, select)
        elif field.name == "references":
            changed[field.name] = tuple(
                _copy_file(path, folder / f"reference{number}", select)
                for number, path in enumerate(value)
            )
    return replace(data, **changed)  # type: ignore[arg-type]


def _copy_file(path: Path, target: Path, select: Select) -> Path:
    """Copies selected records; a record is a line, or a block of a CoNLL-U file."""
    is_conllu = path.name.removesuffix(".gz").endswith(".conllu")
    target = target.with_suffix(".conllu") if is_conllu else target
    with open_binary(path) as stream:
        kept = select(path, _blocks(stream) if is_conllu else stream)
    with open_to_write(target) as out:
        out.writelines(kept)
    return target


def _blocks(stream: Iterable[bytes]) -> Iterator[bytes]:
    block = b""
    for line in stream:
        block += line
        if not line.strip():
            yield block
            block = b""
    if block:
        yield block
