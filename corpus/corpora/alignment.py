"""Word alignments in the Pharaoh format: `0-0 1-2`, source and target positions from 0."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.corpus import MOST_WORDS
from hyperbaton.corpus.sentences.sentence import FREE
from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.foundation.arrays import GrowingRagged, Ragged
from hyperbaton.foundation.errors import BadLine

_LINK = r"[0-9]{1,9}-[0-9]{1,9}"
_LINKS = re.compile(rf"(?:{_LINK}(?:[ \t]+|\Z))*")


def parse_links(line: str) -> list[int]:
    """Source and target positions in turn: `0-0 1-2` gives [0, 0, 1, 2]."""
    line = line.strip(" \t")
    if not _LINKS.fullmatch(line):
        wrong = next(link for link in split_words(line) if not re.fullmatch(_LINK, link))
        raise BadLine("alignment", f"{wrong!r} is not a link", "expected links such as 0-0 1-2")
    return [int(number) for number in line.replace("-", " ").split()]


def check_links(links: list[int], n_source: int, n_target: int) -> None:
    """Rejects links outside the sentence pair."""
    for s, t in zip(links[0::2], links[1::2], strict=True):
        if s >= n_source or t >= n_target:
            raise BadLine(
                "link outside",
                f"link {s}-{t} is outside its sentence pair",
                f"{n_source} source and {n_target} target words, counted from 0",
            )


def order_of_links(links: Sequence[int], n_source: int) -> tuple[int, ...]:
    """The rank of each source word in target order, by the mean position of the target words that
    it is linked to; FREE for words without links.

    >>> order_of_links([0, 2, 1, 0, 1, 3], 3)  # 0-2 1-0 1-3
    (1, 0, -1)
    """
    linked: dict[int, list[int]] = {}
    for source, target in zip(links[0::2], links[1::2], strict=True):
        if source >= n_source:
            what = f"the link {source}-{target} is outside a sentence of {n_source} words"
            raise BadLine("link outside", what, "words are counted from 0")
        linked.setdefault(source, []).append(target)
    places = {source: Fraction(sum(targets), len(targets)) for source, targets in linked.items()}
    rank = {place: number for number, place in enumerate(sorted(set(places.values())))}
    return tuple(rank[places[word]] if word in places else FREE for word in range(n_source))


def read_links(path: Path) -> Ragged:
    """The links of a Pharaoh file, in its order."""
    rows = GrowingRagged(2)
    for _, positions in parse_lines(path, _positions):
        rows.add(positions)
    links = rows.finish()
    return Ragged(links.values.astype(np.uint16), links.offsets)


def _positions(line: str) -> list[int]:
    positions = parse_links(line)
    if max(positions, default=0) >= MOST_WORDS:
        raise BadLine(
            "alignment",
            f"the position {max(positions)} is too large",
            f"sentences have at most {MOST_WORDS} words, counted from 0",
        )
    return positions


def link_lines(links: Ragged) -> Iterator[str]:
    """A line in Pharaoh format for every pair."""
    # The same links occur in many pairs: format each distinct link once
    both = links.values.astype(np.int64) @ np.array([1 << 16, 1])
    distinct, place = np.unique(both, return_inverse=True)
    texts = np.array([f"{link >> 16}-{link & 0xFFFF}" for link in distinct.tolist()], dtype=object)
    yield from (" ".join(texts[row].tolist()) for row in Ragged(place, links.offsets))
