"""The rules of the chart search: those of the table, and three source sides that it does not have,
an unknown word, and the beginning and the continuation of the chain of spans that covers the
sentence,

    S → X        BEGINNING
    S → S X      GLUE
"""

from hyperbaton.decoder.ranking.entry_memo import FIRST, SECOND, UNKNOWN_WORD, EntryMemo

BEGINNING, GLUE = UNKNOWN_WORD + 1, UNKNOWN_WORD + 2  # numbers in the memo
BEGINNING_ENTRY, GLUE_ENTRY = -2, -3  # instead of entries of the table


def add_chain_rules(memo: EntryMemo, glue: float) -> None:
    """Adds the rules of the chain to an empty memo; `glue` is the weight of its steps."""
    for number, score, entry, gaps in (
        (BEGINNING, 0.0, BEGINNING_ENTRY, [FIRST]),
        (GLUE, glue, GLUE_ENTRY, [FIRST, SECOND]),
    ):
        begin = memo.counters[1]
        end = begin + len(gaps)
        memo.entries[number] = score, 0.0, entry, begin, end
        memo.symbols["word"][begin:end] = gaps
        memo.begin[number + 1] = number + 1
        memo.counters[:] = number + 1, end
