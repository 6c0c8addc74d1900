"""The settings of phrase tables."""

from dataclasses import dataclass

NONE = "none"
GRID = 8  # words of the longest phrase: bit GRID·target + source of its links must fit into 64


@dataclass(frozen=True)
class PhraseSettings:
    """How phrase tables are made (`--set phrases.KEY=VALUE`)."""

    max_length: int = 7  # words of a phrase, at most 8
    smoothing: str = NONE  # of the phrase translation probabilities: none, good-turing, kneser-ney
    min_count: int = 1  # drop pairs seen less often
    top: int = 0  # translations kept per source phrase; 0 keeps all
    significance: str = NONE  # drop pairs by Fisher's exact test: none, a+e, a-e or a number
    reordering: str = "wbe-msd-bidirectional-fe"  # type of the reordering scores, or none
