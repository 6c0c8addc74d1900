"""How far a step may jump: Moses' rule for the distortion limit, so that results compare.

The jump from the last phrase is limited. So is the end of a phrase that leaves the first gap open,
because the search must be able to return to it:

    covered ■■□□■■□□□□     gap = 2, previous_end = 6, limit 5: the phrase 6:7 may be next, but not
              ^   ▒▒       6:8, whose end would be 6 words away from the gap
"""

from typing import Any

from models.kernels import uncounted


def distance_limit(limit: int, n_words: int) -> int:
    """The limit of a setting in words; a negative one means none."""
    return limit if limit >= 0 else n_words


def within_limit(start: Any, end: Any, previous_end: int, gap: int, limit: int) -> Any:
    """Whether a free span start:end, or which of several, may be translated next."""
    return (abs(start - previous_end) <= limit) & ((start == gap) | (end - gap <= limit))


is_within_limit = uncounted(within_limit)
