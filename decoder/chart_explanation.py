"""Explains a derivation of the chart search: its tree of rules, and what each rule adds.

The words of a rule and those of its gaps come together in the language model, so its score belongs
to the whole derivation, not to one rule.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np

from hyperbaton.decoder.chart.rules import BEGINNING_ENTRY, GLUE_ENTRY
from hyperbaton.decoder.chart_decoded import ChartDecoded
from hyperbaton.decoder.explanation import check_explainable
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.files.vocabulary import SPECIAL
from hyperbaton.models.distortion.interface import UNKNOWN_ENTRY
from hyperbaton.models.rules.settings import GAP
from hyperbaton.models.rules.table import RuleTable

N_SPECIAL = len(SPECIAL)
KINDS = {GLUE_ENTRY: "S X", BEGINNING_ENTRY: "X"}


@dataclass(frozen=True)
class RuleStep:
    """A rule of the tree; the rules in its gaps follow it."""

    depth: int
    source: tuple[int, int]
    target: tuple[int, int]
    left: str  # its source side
    right: str
    is_unknown: bool
    is_chain: bool  # whether it only puts spans one after the other
    adds: float  # to the score, without the language model


def rules_of(translator: Translator, decoded: ChartDecoded, number: int = 0) -> list[RuleStep]:
    """The tree of one of the derivations that `translator` has found for a sentence."""
    check_explainable(decoded)
    added = decoded.rule_values() @ np.array([translator.weights[n] for n in decoded.feature_names])
    depths, steps = [0], list[RuleStep]()
    for row in range(*decoded.derivations.offsets[number : number + 2].tolist()):
        depth = depths.pop()
        depths += [depth + 1] * int(decoded.derivations.n_gaps[row])
        steps.append(_step(decoded, row, depth, float(added[row])))
    return steps


def _step(decoded: ChartDecoded, row: int, depth: int, adds: float) -> RuleStep:
    rules, table = decoded.derivations, decoded.table
    entry, start, end = int(rules.entry[row]), int(rules.start[row]), int(rules.end[row])
    first, last = decoded.spelled.target[row].tolist()
    words = decoded.sentence.words[start:end]
    left = right = KINDS.get(entry, " ".join(words))
    if entry == UNKNOWN_ENTRY:
        right = "" if decoded.drop_unknown else left
    elif entry >= 0:
        left = _source_side(table, entry)
        known = table.target_vocabulary.words
        symbols = table.target_sides[table.target[entry]].tolist()
        right = " ".join(f"X{s - GAP + 1}" if s < N_SPECIAL else known[s] for s in symbols)
    is_chain = entry in KINDS
    return RuleStep(
        depth, (start, end), (first, last), left, right, entry == UNKNOWN_ENTRY, is_chain, adds
    )


def _source_side(table: RuleTable, entry: int) -> str:
    """The words of a rule, and X1 and X2 for its gaps."""
    symbols, node = list[int](), int(np.searchsorted(table.entry_begin, entry, "right")) - 1
    while node:
        symbols.insert(0, int(table.trie_word[node]))
        node = int(np.searchsorted(table.trie_children, node, "right")) - 1  # above it
    gaps, known = count(1), table.source_vocabulary.words
    return " ".join(f"X{next(gaps)}" if symbol == GAP else known[symbol] for symbol in symbols)
