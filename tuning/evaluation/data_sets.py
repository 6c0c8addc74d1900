"""Sentences with their references, on disk and in memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from hyperbaton.corpus.corpora.alignment import order_of_links
from hyperbaton.corpus.corpora.reading import SourceFiles, read_sentences
from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.errors import DataError
from hyperbaton.tuning.evaluation.references import check_line_counts, read_references
from hyperbaton.tuning.metrics.visits import Visits, read_alignment, visits_of_links

ALL_LINES = "all"


@dataclass(frozen=True)
class DataSet:
    """The files of a development or test set. Word order metrics need an alignment of the source
    and the first reference."""

    source: Path
    references: tuple[Path, ...]
    name: str = "dev"
    alignment: Path | None = None
    source_tags: Path | None = None
    source_tree: Path | None = None
    lines: str = ALL_LINES

    @property
    def files(self) -> dict[str, Path]:
        """The files by name of their setting; references are numbered."""
        paths = {key: value for key, value in vars(self).items() if isinstance(value, Path)}
        return paths | {f"reference {n}": path for n, path in enumerate(self.references)}

    def at(self, place: Callable[[Path], Path]) -> "DataSet":
        """The data set with its paths changed by a function."""
        paths: dict[str, Any] = {
            key: place(value) for key, value in vars(self).items() if isinstance(value, Path)
        }
        return replace(self, **paths, references=tuple(map(place, self.references)))


@dataclass(frozen=True, eq=False)
class Sentences:
    """A data set in memory."""

    name: str
    sources: Sequence[Sentence]
    references: Sequence[Sequence[str]]  # one or more per sentence
    visits: Visits | None = None  # of the first reference, if an alignment is given
    unknown: str = ""  # a message about unknown words; empty: none

    def __len__(self) -> int:
        return len(self.sources)

    def part(self, which: slice) -> "Sentences":
        visits = None if self.visits is None else self.visits[which]
        sources, references = self.sources[which], self.references[which]
        return replace(self, sources=sources, references=references, visits=visits)


def load(data: DataSet, text: TextPipelines | None = None, *, tested: bool = False) -> Sentences:
    """Reads all lines of the files, ignoring `data.lines`; `text` tokenises raw text.

    With `tested`, translations are scored as raw text: references are not tokenised, and lines may
    be split into sentences. Otherwise a line is decoded as a whole, because its n-best list and
    lattice are evaluated as a whole.
    """
    references = tuple(map(tuple, read_references(data.references)))
    files = SourceFiles(data.source, data.source_tags, data.source_tree)
    if text is None:
        sources = tuple(read_sentences(files))
    else:
        text.load()
        sources = tuple(read_sentences(files, partial(text.sentence, split=tested)))
    if text is not None and not tested:
        references = tuple(map(tuple, text.tokenised(references)))
    if not sources:
        raise DataError("has no sentences", where=str(data.source))
    check_line_counts({str(data.source): len(sources), str(data.references[0]): len(references)})
    if data.alignment is None:
        return Sentences(data.name, sources, references)
    links, lengths = read_alignment(data.alignment, [len(sentence) for sentence in sources])
    ordered = [
        replace(sentence, order=order_of_links(pairs.ravel().tolist(), len(sentence)))
        for sentence, pairs in zip(sources, links, strict=True)
    ]
    return Sentences(data.name, ordered, references, visits_of_links(links, lengths))
