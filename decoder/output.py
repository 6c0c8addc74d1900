"""Translations as text: Moses' n-best lists and search graphs, word alignments, JSON lines."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.lattice import NONE
from hyperbaton.decoder.phrase_decoded import PhraseDecoded
from hyperbaton.decoder.translator import Translation, Translator
from hyperbaton.foundation.files.vocabulary import RESERVED

BARS = "|||"  # between the fields of a line


def nbest_lines(
    number: int, translator: Translator, decoded: Decoded, *, alignment: bool = False
) -> Iterator[str]:
    """`id ||| words ||| name= v v ... ||| score`, and optionally the alignment."""
    for row, values in enumerate(decoded.features().tolist()):
        features = _features(translator.feature_names, values)
        words = as_field(decoded.words(row))
        fields = [str(number), words, features, f"{decoded.scores[row]:.6g}"]
        if alignment:
            fields.append(pharaoh(decoded.links(row)))
        yield f" {BARS} ".join(fields)


def aligned_line(decoded: Decoded) -> str:
    """`words ||| alignment`."""
    return f"{as_field(decoded.words())} {BARS} {pharaoh(decoded.links())}"


def as_field(words: Sequence[str]) -> str:
    """The words, with a word that is the field separator, copied from the source, escaped as in
    Moses' tokeniser."""
    _, escaped = RESERVED[BARS]
    return " ".join(escaped if word == BARS else word for word in words)


def lattice_lines(number: int, decoded: Decoded) -> Iterator[str]:
    """A sentence's lattice in the format of Moses' -output-search-graph, one line for each arc; no
    lines for an empty sentence. The number of a node is that of its best arc."""
    if not isinstance(decoded, PhraseDecoded) or decoded.lattice is None:
        return
    lattice, table = decoded.lattice, decoded.options.table
    line_of_node = np.zeros(len(lattice), np.int64)
    changes = np.flatnonzero(np.diff(lattice.arc_to, prepend=NONE))  # first arc of each node
    line_of_node[lattice.arc_to[changes]] = changes + 1
    lines = line_of_node.tolist()
    following = [NONE if node == NONE else lines[node] for node in lattice.following.tolist()]
    yield f"{number} hyp=0 stack=0 forward={following[0]} fscore={lattice.rest[0]:.6g}"
    scores = lattice.score[lattice.arc_from] + lattice.arc_score
    whole = scores + lattice.rest[lattice.arc_to]
    columns = zip(
        lattice.arc_from.tolist(),
        lattice.arc_to.tolist(),
        lattice.arc_option.tolist(),
        lattice.n_covered[lattice.arc_to].tolist(),
        scores.tolist(),
        lattice.arc_score.tolist(),
        whole.tolist(),
        strict=True,
    )
    for line, (before, node, option, n_covered, score, step, total) in enumerate(columns, 1):
        text = " ".join(decoded.phrase(option))
        recombined = "" if lines[node] == line else f" recombined={lines[node]}"
        yield (
            f"{number} hyp={line} stack={n_covered} back={lines[before]} score={score:.6g} "
            f"transition={step:.6g}{recombined} forward={following[node]} fscore={total:.6g} "
            f"covered={table.start[option]}-{table.end[option] - 1} out={text}"
        )


def pharaoh(links: Sequence[tuple[int, int]]) -> str:
    return " ".join(f"{source}-{target}" for source, target in links)


def json_line(number: int, decoded: Decoded, translator: Translator) -> str:
    return json.dumps(json_content(number, decoded, translator), ensure_ascii=False)


def json_content(number: int, decoded: Decoded, translator: Translator) -> dict[str, Any]:
    """A translation as plain values. For raw text, also the tokens of the sentence with their
    positions, and the tokens of the translation."""
    sentence, text = decoded.sentence, translator.preparation.text
    is_raw = text is not None and sentence.raw is not None
    first, *rest = [_plain(result, tokens=is_raw) for result in translator.results(decoded)]
    content: dict[str, Any] = {"id": number, "source": " ".join(sentence.words)}
    if text is not None and sentence.raw is not None:
        content["source"] = sentence.raw
        content["source_tokens"] = sentence.words
        content["source_places"] = text.source.places(sentence.raw)
    content |= first
    content["search"] = decoded.statistics.counts()
    if rest:
        content["n_best"] = rest
    return content


def _plain(result: Translation, *, tokens: bool) -> dict[str, Any]:
    return {
        "translation": result.text,
        **({"tokens": result.words} if tokens else {}),
        "score": result.score,
        "alignment": result.alignment,
        "segmentation": result.segmentation,
        "features": result.features,
    }


def _features(names: Sequence[str], values: Sequence[float]) -> str:
    """Values after the names of their models: `lm= -12.3 msd= 0 0 -1.2 ...`."""
    columns = zip(names, values, strict=True)
    groups = groupby(columns, lambda item: item[0].partition(".")[0])
    return " ".join(
        f"{name}= {' '.join(f'{value:.6g}' for _, value in items)}" for name, items in groups
    )
