"""Orientation of a phrase pair towards its neighbours in target order (Koehn et al. 2005;
Galley and Manning 2008): monotone, swapped, or discontinuous to the right or left.

Word-based, the corners of the alignment decide: towards the previous phrase, a link at (first
source word − 1, first target word − 1) means monotone and one at (last source word + 1, first
target word − 1) means swap, if the other one is absent.

           source →                  M: place whose link makes the phrase monotone
    target     M         S           S: place whose link makes it a swap
      ↓          ┌───────┐           towards the previous phrase; towards the next
                 │phrase │           one, turn the picture by 180 degrees.
                 └───────┘
               S         M

In the phrase-based model, an extracted phrase pair that ends in that corner also counts; in the
hierarchical model, so does a consistent block of any size. Discontinuous moves go right (the
previous phrase is to the left) or left; if neither or both are found, we call it right, as Moses
does.

The orientation of a phrase depends on one row only, the target word before or after it. So we
proceed row by row: we mark the blocks that end in a row by their first and last source word for the
phrases that begin below it, and then the blocks that begin in it for the phrases that end above it.
Memory grows with the length of a sentence, time with its square.
"""

import numpy as np

from hyperbaton.foundation.kernels import inner
from hyperbaton.foundation.sorted_arrays import lower_bound

WORD, PHRASE, HIERARCHICAL = 0, 1, 2
ORIENTATION_MODELS = {"word": WORD, "phrase": PHRASE, "hierarchical": HIERARCHICAL}
MONOTONE, SWAP, RIGHT, LEFT = 0, 1, 2, 3
ORIENTATIONS = 4

# Bits of a mark; the bits of blocks of any size are 2 places above those of extracted blocks
FIRST, LAST = 1, 2
UNLIMITED_SHIFT = 2


@inner
def orient(model, blocks, begin, sources, low, high, backward, forward):
    """Fills in the orientation of each block (first and last source, first and last target word).

    Blocks are sorted by their first target word. `begin` and `sources` are the links by target
    word, `low` and `high` the first and last target word linked to each source word.
    """
    n_source, n_target = len(low), len(begin) - 1
    # blocks whose first target word is e: block_begin[e] to block_begin[e + 1]
    block_begin = np.empty(n_target + 2, np.int64)
    for e in range(n_target + 2):
        block_begin[e] = lower_bound(blocks[:, 2], 0, len(blocks), e)
    longest = 0
    for block in range(len(blocks)):
        longest = max(longest, blocks[block, 3] - blocks[block, 2] + 1)
    marks = np.zeros(n_source, np.uint8)
    for e in range(-1, n_target):
        below = block_begin[e + 1], block_begin[e + 2]
        if below[0] == below[1]:
            continue
        marks[:] = 0
        if model != WORD:
            for block in range(block_begin[max(0, e - longest + 1)], block_begin[max(0, e + 1)]):
                if blocks[block, 3] == e:
                    marks[blocks[block, 0]] |= FIRST
                    marks[blocks[block, 1]] |= LAST
        if model == HIERARCHICAL:
            _mark_unlimited(e, -1, begin, sources, low, high, marks)
        reach = _reach(marks)
        for block in range(below[0], below[1]):
            backward[block] = _orientation(
                blocks[block, 0], blocks[block, 1], e, True, model, begin, sources, marks, reach
            )
    for e in range(1, n_target + 1):
        above = block_begin[max(0, e - longest)], block_begin[e]
        if above[0] == above[1]:
            continue
        marks[:] = 0
        if model != WORD:
            for block in range(block_begin[e], block_begin[e + 1]):
                marks[blocks[block, 0]] |= FIRST
                marks[blocks[block, 1]] |= LAST
        if model == HIERARCHICAL:
            _mark_unlimited(e, 1, begin, sources, low, high, marks)
        reach = _reach(marks)
        for block in range(above[0], above[1]):
            if blocks[block, 3] == e - 1:
                forward[block] = _orientation(
                    blocks[block, 0], blocks[block, 1], e, False,
                    model, begin, sources, marks, reach,
                )  # fmt: skip


@inner
def _mark_unlimited(e, step, begin, sources, low, high, marks):
    """Marks all consistent blocks that end (step −1) or begin (step 1) in row e."""
    n_source, n_target = len(low), len(begin) - 1
    f_low, f_high = n_source, -1  # the source words linked to rows e to other
    top, bottom = n_target, -1  # the target words linked to f_low to f_high
    other = e
    while 0 <= other < n_target:
        if begin[other] < begin[other + 1]:
            low_here, high_here = sources[begin[other]], sources[begin[other + 1] - 1]
            if f_high < 0:
                f_low, f_high = low_here, low_here
                top, bottom = low[f_low], high[f_low]
            while f_low > low_here:
                f_low -= 1
                top, bottom = min(top, low[f_low]), max(bottom, high[f_low])
            while f_high < high_here:
                f_high += 1
                top, bottom = min(top, low[f_high]), max(bottom, high[f_high])
        if (step < 0 and bottom > e) or (step > 0 and top < e):
            break  # a link beyond the row, which all larger blocks contain too
        if f_high >= 0 and top >= min(e, other) and bottom <= max(e, other):
            marks[f_low] |= FIRST << UNLIMITED_SHIFT
            marks[f_high] |= LAST << UNLIMITED_SHIFT
        other += step
    # blocks may be extended over unaligned source words
    for f in range(1, n_source):
        if high[f] < 0:
            marks[f] |= marks[f - 1] & (LAST << UNLIMITED_SHIFT)
    for f in range(n_source - 2, -1, -1):
        if high[f] < 0:
            marks[f] |= marks[f + 1] & (FIRST << UNLIMITED_SHIFT)


@inner
def _reach(marks):
    """Leftmost LAST and rightmost FIRST of a row, of extracted blocks and of all."""
    n_source = len(marks)
    left, right, left_of_all, right_of_all = n_source, -1, n_source, -1
    for f in range(n_source):
        if marks[f] & LAST:
            left = min(left, f)
        if marks[f] & FIRST:
            right = f
        if marks[f] & (LAST << UNLIMITED_SHIFT):
            left_of_all = min(left_of_all, f)
        if marks[f] & (FIRST << UNLIMITED_SHIFT):
            right_of_all = f
    return left, right, left_of_all, right_of_all


@inner
def _linked(f, e, n_source, begin, sources):
    """Whether two words are linked; the beginnings of the sentences are, and so are their ends."""
    n_target = len(begin) - 1
    if (f == -1 and e == -1) or (f == n_source and e == n_target):
        return True
    if f < 0 or e < 0 or f >= n_source or e >= n_target:
        return False
    for link in range(begin[e], begin[e + 1]):  # noqa: SIM110 - compiled code has no any()
        if sources[link] == f:
            return True
    return False


@inner
def _orientation(f0, f1, e, is_backward, model, begin, sources, marks, reach):
    """The orientation of a phrase over source words f0 to f1 towards row e."""
    n_source, n_target = len(marks), len(begin) - 1
    at_left = _linked(f0 - 1, e, n_source, begin, sources)
    at_right = _linked(f1 + 1, e, n_source, begin, sources)
    if model == WORD:
        if at_left != at_right:
            return MONOTONE if at_left == is_backward else SWAP
        if 0 <= e < n_target and begin[e] < begin[e + 1]:
            at_left |= sources[begin[e]] < f0 - 1
            at_right |= sources[begin[e + 1] - 1] > f1 + 1
        near, far = (at_left, at_right) if is_backward else (at_right, at_left)
        return LEFT if far and not near else RIGHT
    shift = UNLIMITED_SHIFT if model == HIERARCHICAL else 0
    block_left = f0 > 0 and marks[f0 - 1] & (LAST << shift) != 0
    block_right = f1 + 1 < n_source and marks[f1 + 1] & (FIRST << shift) != 0
    left = (at_left and not at_right) or block_left
    right = (at_right and not at_left) or block_right
    near, far = (left, right) if is_backward else (right, left)
    if near:
        return MONOTONE
    if far:
        return SWAP
    # Look for a phrase of limited length first, as Moses does, then for any block
    left, right = reach[0] < f0 - 1, reach[1] > f1 + 1
    if not left and not right:
        left, right = reach[2] < f0 - 1, reach[3] > f1 + 1
    near, far = (left, right) if is_backward else (right, left)
    return LEFT if far and not near else RIGHT
