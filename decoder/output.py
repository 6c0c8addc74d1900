"""Translations as text: Moses' n-best lists and search graphs, word alignments, JSON lines."""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from decoder.decoded import Decoded
from decoder.lattice import search_graph_lines
from decoder.translator import Translation, Translator


def nbest_lines(
    number: int, translator: Translator, decoded: Decoded, *, alignment: bool = False
) -> Iterator[str]:
    """`id ||| words ||| name= v v ... ||| score`, and the alignment if wanted."""
    for result in translator.results(decoded):
        fields = [str(number), result.text, _features(result), f"{result.score:.6g}"]
        if alignment:
            fields.append(pharaoh(result))
        yield " ||| ".join(fields)


def lattice_lines(number: int, decoded: Decoded) -> Iterator[str]:
    """The search lattice in Moses' format, if there is one (an empty sentence has none)."""
    if decoded.lattice is None:
        return
    table = decoded.options.table
    yield from search_graph_lines(
        number,
        decoded.lattice,
        table.start,
        table.end,
        lambda option: " ".join(decoded.phrase(option)),
    )


def pharaoh(result: Translation) -> str:
    return " ".join(f"{source}-{target}" for source, target in result.alignment)


def json_line(number: int, decoded: Decoded, results: list[Translation]) -> str:
    """One sentence with everything that is known of it."""
    first, *rest = [_plain(result) for result in results]
    content = {"id": number, "source": " ".join(decoded.sentence.words), **first}
    content["search"] = decoded.statistics.counts()
    if rest:
        content["n_best"] = rest
    return json.dumps(content, ensure_ascii=False)


def _plain(result: Translation) -> dict[str, Any]:
    return {
        "translation": result.text,
        "score": result.score,
        "alignment": result.alignment,
        "segmentation": result.segmentation,
        "features": result.features,
    }


def _features(result: Translation) -> str:
    """Values behind the names of their models: `lm= -12.3 msd= 0 0 -1.2 ...`."""
    groups = groupby(result.features.items(), lambda item: item[0].partition(".")[0])
    return " ".join(
        f"{name}= {' '.join(f'{value:.6g}' for _, value in items)}" for name, items in groups
    )
