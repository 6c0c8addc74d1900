"""Word alignment of a parallel text in both directions, with eflomal.

eflomal (Östling and Tiedemann 2016) samples alignments under IBM model 1, an HMM and fertilities,
with Dirichlet priors. Forward, every target word gets at most one source word; backward, every
source word gets at most one target word. `symmetrisation.py` combines the two. Counts of an aligned
text can be saved as priors, so that a small new text profits from a large text aligned before.

We pass word numbers to eflomal instead of text, because eflomal splits words at every Unicode space
and we split only at spaces and tabs. Like eflomal we ignore case. eflomal draws its seed from the
operating system and does not let us set it, so two runs differ. A pair with a side of more than
`LONGEST_SENTENCE` words gets no links.
"""

import importlib
import math
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.alignment import link_lines, read_links
from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.corpus.text import read_lines
from hyperbaton.foundation.arrays import Int64Array, Ragged
from hyperbaton.foundation.errors import BadLine, DataError, SettingError

LONGEST_SENTENCE = 1023  # eflomal's limit, in words


@dataclass(frozen=True)
class AlignerSettings:
    """Settings of eflomal's sampler."""

    n_samplers: int = 3  # independent samplers; their votes are added
    length: float = 1.0  # number of iterations, as a multiple of eflomal's default
    null_prior: float = 0.2  # probability that a word has no partner


class Directions(NamedTuple):
    """The links of two directed alignments, (n_links, 2) uint16: source and target position."""

    forward: Ragged  # at most one link per target word, if an aligner made them
    backward: Ragged  # at most one link per source word


class Priors(NamedTuple):
    """Counts from aligned text, in the order and form that eflomal expects."""

    lexical: list[tuple[str, str, float]]  # source word, target word, count of links (forward)
    forward_jumps: dict[int, float]  # from one target word's source position to the next one's
    backward_jumps: dict[int, float]
    forward_fertility: list[tuple[str, int, float]]  # source word, number of links, count
    backward_fertility: list[tuple[str, int, float]]  # target word, number of links, count


def load_eflomal() -> ModuleType:
    """Imports eflomal; if that fails, raises an error that says how to install it."""
    try:
        return importlib.import_module("eflomal")
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == "eflomal"
        raise DataError(
            "eflomal is not installed" if absent else f"eflomal cannot be loaded: {error}",
            expected="hyperbaton uses this optional package to align words",
            advice="pip install eflomal",
        ) from None


def align_corpus(
    corpus: AlignedCorpus,
    settings: AlignerSettings = AlignerSettings(),
    priors: Priors | None = None,
) -> Directions:
    """Aligns the sentence pairs anew; existing links of the corpus are ignored."""
    eflomal = load_eflomal()
    if not len(corpus):
        raise DataError("there are no sentence pairs to align")
    with TemporaryDirectory(prefix="hyperbaton-align-") as name:
        folder = Path(name)
        indexes = [
            _write_side(eflomal, side, folder / file)
            for side, file in ((corpus.source, "source"), (corpus.target, "target"))
        ]
        if priors is not None:
            with (folder / "priors").open("w", encoding="utf-8") as stream:
                eflomal.to_eflomal_priors_file(priors, *indexes, stream)
        with suppress(CalledProcessError):  # eflomal has printed the reason
            eflomal.align(
                str(folder / "source"),
                str(folder / "target"),
                links_filename_fwd=str(folder / "forward"),
                links_filename_rev=str(folder / "backward"),
                priors_filename=None if priors is None else str(folder / "priors"),
                n_samplers=settings.n_samplers,
                rel_iterations=settings.length,
                null_prior=settings.null_prior,
            )
        # eflomal does not report every failure: check for incomplete files
        if (folder / "forward").exists() and (folder / "backward").exists():
            directions = read_directions(folder / "forward", folder / "backward")
            if len(directions.forward) == len(corpus):
                return directions
    raise DataError(
        "eflomal stopped before it had aligned all pairs",
        advice="see its output above; it may have run out of memory or of space for "
        "temporary files",
    )


def align_without(
    corpus: AlignedCorpus, words: Collection[str], align: Callable[[AlignedCorpus], Directions]
) -> Directions:
    """Aligns the text without the given words, ignoring case, and maps the links back to positions
    in the full text. The words get no links. Goto et al. (2013, §4.1) exclude articles and case
    particles this way."""
    source, of_source = _without(corpus.source, words)
    target, of_target = _without(corpus.target, words)
    directions = align(replace(corpus, source=source, target=target))
    places = (source.words.offsets, of_source), (target.words.offsets, of_target)
    forward, backward = (_restored(links, *places) for links in directions)
    return Directions(forward, backward)


def _without(side: Side, words: Collection[str]) -> tuple[Side, Int64Array]:
    """The sentences without the words, and the old position of every remaining word."""
    unwanted = {word.lower() for word in words}
    used = np.unique(side.words.values)
    is_unwanted = [word.lower() in unwanted for word in side.vocabulary.decode(used)]
    kept = ~np.isin(side.words.values, used[is_unwanted])
    before = np.concatenate([[0], np.cumsum(kept)])
    left = Ragged(side.words.values[kept], before[side.words.offsets])
    place = np.arange(len(kept)) - side.words.offsets[side.words.row_of_value]
    return Side(side.vocabulary, left), place[kept]


def _restored(links: Ragged, *sides: tuple[Int64Array, Int64Array]) -> Ragged:
    columns = [
        place[offsets[links.row_of_value] + links.values[:, column]]
        for column, (offsets, place) in enumerate(sides)
    ]
    return Ragged(np.stack(columns, axis=1).astype(links.values.dtype), links.offsets)


def n_too_long(corpus: AlignedCorpus) -> int:
    """Number of pairs that are too long to be aligned."""
    longer = np.maximum(corpus.source.words.lengths, corpus.target.words.lengths)
    return int(np.count_nonzero(longer > LONGEST_SENTENCE))


def _write_side(eflomal: ModuleType, side: Side, path: Path) -> object:
    """Writes the sentences as numbers, ignoring case; returns eflomal's index of the words."""
    numbers = np.zeros(len(side.vocabulary), dtype=np.uint32)
    index: dict[str, int] = {}
    used = np.unique(side.words.values)
    words = side.vocabulary.decode(used)
    numbers[used] = [index.setdefault(word.lower(), len(index)) for word in words]
    sentences = np.split(numbers[side.words.values], side.words.offsets[1:-1])
    with path.open("wb") as stream:
        eflomal.write_text(stream, tuple(sentences), len(index))
    return eflomal.TextIndex(index)


def read_directions(forward: Path, backward: Path) -> Directions:
    """Reads two Pharaoh files of equal length. Checks only their form, since there is no text."""
    if str(forward) == str(backward) == "-":
        raise SettingError(
            "two files cannot both be standard input", expected="expected - for at most one of them"
        )
    directions = Directions(read_links(forward), read_links(backward))
    (n_lines, shorter), (_, longer) = sorted(
        zip(map(len, directions), (forward, backward), strict=True)
    )
    if n_lines < max(map(len, directions)):
        raise DataError(
            "the file ends here",
            where=f"{shorter}:{n_lines + 1}",
            expected=f"expected as many lines as in {longer}, one for every sentence pair",
        )
    return directions


def count_priors(corpus: AlignedCorpus, directions: Directions) -> Priors:
    """Counts priors in directed alignments (at most one link per word) as eflomal-makepriors does.

    Words without links do not count for fertility. Jumps begin before the first word and end after
    the last one.
    """
    sides = corpus.source, corpus.target
    texts = ((" ".join(map(str, row.tolist())) for row in side.words) for side in sides)
    lexical, forward_jumps, backward_jumps, forward, backward = load_eflomal().calculate_priors(
        *texts, *map(link_lines, directions)
    )
    source, target = (side.vocabulary.words for side in sides)
    return Priors(
        [(source[int(s)], target[int(t)], float(n)) for (s, t), n in lexical.items()],
        {jump: float(n) for jump, n in forward_jumps.items()},
        {jump: float(n) for jump, n in backward_jumps.items()},
        [(source[int(s)], n_links, float(n)) for (s, n_links), n in forward.items()],
        [(target[int(t)], n_links, float(n)) for (t, n_links), n in backward.items()],
    )


def prior_lines(priors: Priors) -> Iterator[str]:
    """The lines of a priors file, in the format of eflomal's programs."""
    rows: Any
    for kind, values in zip(_KINDS, priors, strict=True):
        rows = values.items() if isinstance(values, dict) else values
        for *key, count in sorted(rows):
            yield "\t".join([kind, *map(str, key), format(count, ".12g")])


def read_priors(path: Path) -> Priors:
    """Reads a priors file written with `prior_lines` or by eflomal-makepriors."""
    priors = Priors([], {}, {}, [], [])
    by_kind: dict[str, Any] = dict(zip(_KINDS, priors, strict=True))
    with closing(read_lines(path)) as lines:
        for number, line in lines:
            fields = [] if isinstance(line, BadLine) else line.split("\t")
            try:
                *key, count = _parse_prior(fields)
            except (ValueError, KeyError):
                raise DataError(
                    "not a line of a priors file",
                    where=f"{path}:{number}",
                    expected="LEX, source word, target word, count; HMMF or HMMR, jump, count; "
                    "FERF or FERR, word, fertility, count; separated by tabs",
                    advice="make the file with --save-priors",
                ) from None
            values = by_kind[fields[0]]
            if isinstance(values, dict):
                values[key[0]] = count
            else:
                values.append((*key, count))
    return priors


_KINDS = {
    "LEX": (str, str),
    "HMMF": (int,),
    "HMMR": (int,),
    "FERF": (str, int),
    "FERR": (str, int),
}  # for each field of `Priors`: its name in files and the types of its keys


def _parse_prior(fields: list[str]) -> list[Any]:
    kind, *key, count = fields
    values = [convert(text) for convert, text in zip(_KINDS[kind], key, strict=True)]
    fertility = values[-1] if kind.startswith("FER") else 0
    if not (0 <= float(count) < math.inf and fertility >= 0):
        raise ValueError
    return [*values, float(count)]
