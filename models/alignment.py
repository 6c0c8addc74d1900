"""Word alignments in the Pharaoh format: `0-0 1-2`, source and target positions from 0."""

import re

from models.errors import BadLine
from models.text import split_words

_LINK = r"[0-9]{1,9}-[0-9]{1,9}"
_LINKS = re.compile(rf"(?:{_LINK}(?:[ \t]+|\Z))*")


def parse_links(line: str) -> list[int]:
    """Source and target positions in turn: `0-0 1-2` gives [0, 0, 1, 2]."""
    line = line.strip(" \t")
    if not _LINKS.fullmatch(line):
        wrong = next(link for link in split_words(line) if not re.fullmatch(_LINK, link))
        raise BadLine("alignment", f"{wrong!r} is not a link", "links are written as 0-0 1-2")
    return [int(number) for number in line.replace("-", " ").split()]


def check_links(links: list[int], n_source: int, n_target: int) -> None:
    """Every link must stay inside its sentence pair."""
    if max(links[0::2], default=-1) < n_source and max(links[1::2], default=-1) < n_target:
        return
    s, t = next(
        (s, t)
        for s, t in zip(links[0::2], links[1::2], strict=True)
        if s >= n_source or t >= n_target
    )
    raise BadLine(
        "link outside",
        f"link {s}-{t} is outside its sentence pair",
        f"{n_source} source and {n_target} target words, counted from 0",
    )
