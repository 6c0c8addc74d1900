"""Settings for hierarchical rules, and their symbols."""

from dataclasses import dataclass

from hyperbaton.foundation.files.vocabulary import BEGIN, END

# Gaps take ids that no word of a corpus has. A source side has only the first: its gaps are in
# order. A target side has the number of the source gap.
GAP, SECOND_GAP = BEGIN, END
MOST_SYMBOLS = 6  # of a source side: bit 6·target + source of a link must fit into 64 bits
LONGEST_SPAN = 10  # words of a side of the phrase pairs that rules are made from
MOST_GAPS = 2


@dataclass(frozen=True)
class RuleSettings:
    """Settings for hierarchical rules (`--set rules.KEY=VALUE`)."""

    max_span: int = LONGEST_SPAN  # most words of the phrase pairs that rules are made from
    max_symbols: int = 5  # most words and gaps of a source side; at most 6
    max_gaps: int = MOST_GAPS  # most gaps in a rule; at most 2
    min_gap: int = 2  # fewest source words in a gap
    tight: bool = False  # only phrase pairs without unaligned words at their edges
    # most target sides of a source side, the most frequent; 0: all. Probabilities do not change
    translations: int = 0
