"""Settings for phrase tables."""

from dataclasses import dataclass

NONE = "none"
GRID = 8  # longest phrase, in words: bit GRID·target + source of a link must fit into 64 bits


@dataclass(frozen=True)
class PhraseSettings:
    """Settings for phrase tables (`--set phrases.KEY=VALUE`)."""

    max_length: int = 7  # most words in a phrase; at most 8
    # of the phrase translation probabilities: `none`, `good-turing` or `kneser-ney`
    smoothing: str = NONE
    min_count: int = 1  # drop phrase pairs that occur less often
    top: int = 0  # best translations to keep for each source phrase; 0: all
    significance: str = NONE  # drop pairs by Fisher's exact test: `none`, `a+e`, `a-e` or a number
    # type of the lexicalised reordering scores, or `none`
    reordering: str = "wbe-msd-bidirectional-fe"
