"""Settings for phrase tables."""

from dataclasses import dataclass

NONE = "none"
GRID = 8  # longest phrase, in words: bit GRID·target + source of a link must fit into 64 bits


@dataclass(frozen=True)
class PhraseSettings:
    """Settings for phrase tables (`--set phrases.KEY=VALUE`)."""

    max_length: int = 7  # longest phrase, in words; at most 8
    smoothing: str = NONE  # of the phrase translation probabilities: none, good-turing, kneser-ney
    min_count: int = 1  # drop pairs seen less often
    top: int = 0  # translations kept per source phrase; 0 keeps all
    significance: str = NONE  # drop pairs by Fisher's exact test: none, a+e, a-e or a number
    reordering: str = "wbe-msd-bidirectional-fe"  # type of the reordering scores, or none
