"""Features in words, for people who look at weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.distortion.next_word.distance_classes import describe_place
from models.distortion.next_word.symbols import CLASSES, FIRST, SymbolCoder
from models.distortion.next_word.templates import BEGIN, END, PAD, describe

OUTSIDE = {PAD: "<pad>", BEGIN: "<s>", END: "</s>"}
DISTANCE_NAMES = ("1", "2 to 5", "6 or more")
DIRECTIONS = ("forward", "back")


def pair_feature(key: int, coder: SymbolCoder) -> str:
    """`back, s[i]=kare, s[j]=katta`: orientation, then words and tags at places around CP (i) and
    NP (j)."""
    names, o, symbols = describe(key)
    parts = [
        f"distance {DISTANCE_NAMES[symbol]}"
        if name == "d"
        else f"{name}={symbol_text(name, symbol, coder)}"
        for name, symbol in zip(names, symbols, strict=True)
    ]
    return ", ".join([DIRECTIONS[o], *parts])


def place_feature(key: int, coder: SymbolCoder) -> str:
    """`s[-1]=kare, t[0]=V`: words and tags at offsets from the place."""
    return ", ".join(
        f"fifth of the sentence {symbol + 1}"
        if name == "fifth"
        else f"{name}={symbol_text(name, symbol, coder)}"
        for name, symbol in describe_place(key)
    )


def symbol_text(name: str, symbol: int, coder: SymbolCoder) -> str:
    if symbol in OUTSIDE:
        return OUTSIDE[symbol]
    if name.startswith("s"):
        return coder.vocabulary.words[symbol]
    return str(symbol - FIRST) if coder.layer == CLASSES else coder.tag_vocabulary.words[symbol]


def largest(weights: NDArray[Any], n: int) -> list[tuple[int, int]]:
    """Rows and columns of the n largest weights, by size whatever the sign."""
    flat = np.abs(weights).reshape(-1)
    first = np.argsort(-flat, kind="stable")[:n]
    rows, columns = np.divmod(first, weights.shape[1])
    return list(zip(rows.tolist(), columns.tolist(), strict=True))
