"""Orientation of a phrase pair towards its neighbours in target order (Koehn et al. 2005;
Galley and Manning 2008): monotone, swapped, or discontinuous to the right or left.

Word-based, the corner cells of the alignment decide: towards the previous phrase, a link at (first
source word − 1, first target word − 1) means monotone and one at (last source word + 1, first
target word − 1) swap; one of them must be there without the other.

           source →                  M: cell whose link makes the phrase monotone
    target     M         S           S: cell whose link makes it a swap
      ↓          ┌───────┐           towards the previous phrase; towards the next
                 │phrase │           one the picture is turned by 180 degrees.
                 └───────┘
               S         M

Phrase-based, an extracted phrase pair that ends in that cell counts as well; hierarchically, any
consistent block of whatever size. Discontinuous moves go right (the previous phrase lies to
the left) or left; where neither or both are found, Moses calls it right, and so do we.
"""

import numpy as np
from numba import njit

WORD, PHRASE, HIERARCHICAL = 0, 1, 2
ORIENTATION_MODELS = {"word": WORD, "phrase": PHRASE, "hierarchical": HIERARCHICAL}
MONOTONE, SWAP, RIGHT, LEFT = 0, 1, 2, 3

# Corners of blocks as bits of the corner matrix; those of unlimited blocks are 4 places higher
TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT = 1, 2, 4, 8
UNLIMITED_SHIFT = 4


@njit(cache=True, nogil=True)
def _linked(f, e, n_source, n_target, begin, sources):
    """Whether a link joins the words; the sentence's beginnings are linked and so are its ends."""
    if (f == -1 and e == -1) or (f == n_source and e == n_target):
        return True
    if f < 0 or e < 0 or f >= n_source or e >= n_target:
        return False
    for link in range(begin[e], begin[e + 1]):  # noqa: SIM110 - compiled code has no any()
        if sources[link] == f:
            return True
    return False


@njit(cache=True, nogil=True)
def by_words(f0, f1, e0, e1, n_source, n_target, begin, sources):
    """Word-based orientation (backward, forward) of the block f0..f1, e0..e1."""
    backward = _word_orientation(f0 - 1, -1, f1 + 1, 1, e0 - 1, n_source, n_target, begin, sources)
    forward = _word_orientation(f1 + 1, 1, f0 - 1, -1, e1 + 1, n_source, n_target, begin, sources)
    return backward, forward


@njit(cache=True, nogil=True)
def _word_orientation(near, near_step, far, far_step, e, n_source, n_target, begin, sources):
    """`near` is the source word whose link to `e` would be monotone, `far` that of a swap; the
    steps lead away from the phrase."""
    at_near = _linked(near, e, n_source, n_target, begin, sources)
    at_far = _linked(far, e, n_source, n_target, begin, sources)
    if at_near and not at_far:
        return MONOTONE
    if at_far and not at_near:
        return SWAP
    f = near + near_step
    while 0 <= f < n_source and not at_near:
        at_near = _linked(f, e, n_source, n_target, begin, sources)
        f += near_step
    f = far + far_step
    while 0 <= f < n_source and not at_far:
        at_far = _linked(f, e, n_source, n_target, begin, sources)
        f += far_step
    return LEFT if at_far and not at_near else RIGHT


@njit(cache=True, nogil=True)
def mark_corners(blocks, corners, unlimited):
    """Sets the corner bits of all blocks."""
    shift = UNLIMITED_SHIFT if unlimited else 0
    for block in range(len(blocks)):
        f0, f1, e0, e1 = blocks[block]
        corners[f0, e0] |= np.uint8(TOP_LEFT << shift)
        corners[f1, e0] |= np.uint8(TOP_RIGHT << shift)
        corners[f0, e1] |= np.uint8(BOTTOM_LEFT << shift)
        corners[f1, e1] |= np.uint8(BOTTOM_RIGHT << shift)


@njit(cache=True, nogil=True)
def by_corners(f0, f1, e0, e1, n_source, n_target, begin, sources, corners, model):
    """Phrase-based or hierarchical orientation (backward, forward)."""
    backward = _corner_orientation(
        f0 - 1, -1, BOTTOM_RIGHT, f1 + 1, 1, BOTTOM_LEFT, e0 - 1,
        n_source, n_target, begin, sources, corners, model,
    )  # fmt: skip
    forward = _corner_orientation(
        f1 + 1, 1, TOP_LEFT, f0 - 1, -1, TOP_RIGHT, e1 + 1,
        n_source, n_target, begin, sources, corners, model,
    )  # fmt: skip
    return backward, forward


@njit(cache=True, nogil=True)
def _corner_orientation(
    near, near_step, near_bit, far, far_step, far_bit, e,
    n_source, n_target, begin, sources, corners, model,
):  # fmt: skip
    """As `_word_orientation`, with blocks that have their corner in the cell."""
    at_near = _linked(near, e, n_source, n_target, begin, sources)
    at_far = _linked(far, e, n_source, n_target, begin, sources)
    shift = UNLIMITED_SHIFT if model == HIERARCHICAL else 0
    if (at_near and not at_far) or _has_corner(corners, near, e, near_bit << shift):
        return MONOTONE
    if (at_far and not at_near) or _has_corner(corners, far, e, far_bit << shift):
        return SWAP
    # A phrase of limited length is looked for first, as in Moses, then any block
    for level in range(0, shift + 1, UNLIMITED_SHIFT):
        f = near + near_step
        while 0 <= f < n_source:
            if _has_corner(corners, f, e, near_bit << level):
                return RIGHT
            f += near_step
        f = far + far_step
        while 0 <= f < n_source:
            if _has_corner(corners, f, e, far_bit << level):
                return LEFT
            f += far_step
    return RIGHT


@njit(cache=True, nogil=True)
def _has_corner(corners, f, e, bit):
    if f < 0 or e < 0 or f >= corners.shape[0] or e >= corners.shape[1]:
        return False
    return (corners[f, e] & bit) != 0
