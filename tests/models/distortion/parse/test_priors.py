"""Prior distributions by hand."""

import numpy as np
import pytest

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.parse.events import PathEvents
from hyperbaton.models.distortion.parse.inventory import build_inventory, no_pairs
from hyperbaton.models.distortion.parse.priors import estimate_prior, fill_prior
from hyperbaton.models.distortion.parse.templates import TAG_BITS
from tests.models.distortion.parse.test_inventory import TAGS, pairs

fill_prior = kernel(fill_prior)  # compiled, as in use

NOUN, VERB = 3, 4
MONOTONE, BACK = 6, 4  # places of the jumps 1 and −1
# s, t, jump and tag of each event
ROWS = [
    ([5], [7], MONOTONE, NOUN),
    ([5], [7], MONOTONE, NOUN),
    ([5], [8], BACK, NOUN),
    ([6], [7], BACK, VERB),
    ([5, 6], [9], BACK, (NOUN + 1) << TAG_BITS | VERB),
]


def estimated(kind, more=None, rows=ROWS, half=0.0):
    found = build_inventory(pairs([row[:2] for row in rows]), more or no_pairs(), TAGS)
    inventory, sources, choice = found
    jump, tags = (np.array([row[k] for row in rows], np.int32) for k in (2, 3))
    empty = np.zeros(len(rows) + 1, np.int64)
    events = PathEvents(sources, choice, jump, tags, empty, np.empty(0, np.int64))
    return estimate_prior(kind, 0.9, half, inventory, events, 6), inventory, events


def filled(kind, source, tag, more=None):
    prior, inventory, _ = estimated(kind, more)
    n = inventory.begin[source + 1] - inventory.begin[source]
    result = np.empty((n, 11))
    fill_prior(prior, inventory, source, tag, result)
    return result


def test_no_prior():
    assert (filled("none", 1, NOUN) == 0).all()


def test_counts():
    # candidates of [5]: e_0 (0 + ½), other (0 + ½), 7 (2), 8 (1)
    expected = np.log(np.array([0.5, 0.5, 2, 1]) / 4 / 11)
    np.testing.assert_allclose(filled("count", 1, NOUN), np.repeat(expected[:, None], 11, axis=1))


def test_smoothed_with_the_jumps_of_the_tag():
    found = filled("smoothed", 1, NOUN)
    # p_g(j | noun): 2 monotone, 1 back, each and all others + ½, over 3 + 5.5
    p_g = np.full(11, 0.5)
    p_g[MONOTONE], p_g[BACK] = 2.5, 1.5
    p_g /= 8.5
    p_l = np.zeros((4, 11))
    p_l[2, MONOTONE] = p_l[3, BACK] = 1
    share = np.array([0.5, 0.5, 2, 1]) / 4
    mixed = 0.9 * p_l + 0.1 * p_g
    mixed[:2] = p_g  # pairs that were never seen have no jumps of their own
    np.testing.assert_allclose(found, np.log(share[:, None] * mixed))
    np.testing.assert_allclose(np.exp(found).sum(), 1.0)


def test_smoothed_with_the_jumps_of_the_length():
    tag = (NOUN + 1) << TAG_BITS | VERB
    found = filled("smoothed", 3, tag)
    p_g = np.full(11, 0.5)  # one phrase of two words, back
    p_g[BACK] = 1.5
    p_g /= 6.5
    p_l = np.zeros(11)
    p_l[BACK] = 1
    np.testing.assert_allclose(found[0], np.log(0.5 / 1.5 * p_g))  # other
    np.testing.assert_allclose(found[1], np.log(1 / 1.5 * (0.9 * p_l + 0.1 * p_g)))


def test_an_unknown_tag_has_the_jumps_of_all_words():
    p_g = np.full(11, 0.5)
    p_g[MONOTONE], p_g[BACK] = 2.5, 2.5
    p_g /= 9.5
    for tag in (0, 5, 77):  # unknown, never seen, out of range
        np.testing.assert_allclose(np.exp(filled("smoothed", 1, tag)[0]), 0.5 / 4 * p_g)


@pytest.mark.parametrize("kind", ["count", "smoothed"])
def test_priors_sum_to_one(kind):
    more = pairs([([5], [9]), ([8], [3])], [5.0, 1.0])
    for source in range(4):
        for tag in (0, NOUN, 1 << TAG_BITS | VERB):
            assert np.exp(filled(kind, source, tag, more)).sum() == pytest.approx(1.0)


def test_the_jumps_of_a_rare_pair_say_little():
    """With `half`, eq. 6 has α n / (n + half) in the place of α."""
    prior, inventory, _ = estimated("smoothed", half=3.0)
    p_g = np.full(11, 0.5)
    p_g[MONOTONE], p_g[BACK] = 2.5, 1.5
    p_g /= 8.5
    result = np.empty((4, 11))
    fill_prior(prior, inventory, 1, NOUN, result)
    for row, jump, n, share in ((2, MONOTONE, 2, 2 / 4), (3, BACK, 1, 1 / 4)):
        alpha = 0.9 * n / (n + 3)
        np.testing.assert_allclose(
            np.exp(result[row]), share * (alpha * (np.arange(11) == jump) + (1 - alpha) * p_g)
        )


def test_a_pair_with_two_tags_begins_with_the_jumps_of_both():
    rows = [([5], [7], MONOTONE, NOUN), ([5], [7], BACK, VERB)]
    prior, inventory, _ = estimated("smoothed", rows=rows, half=2.0)
    p_g = np.full((2, 11), 0.5)
    p_g[0, MONOTONE] = p_g[1, BACK] = 1.5
    p_g /= 6.5
    counts = np.zeros(11)
    counts[[MONOTONE, BACK]] = 1
    [candidate] = np.flatnonzero(prior.local[:, 0] >= 0)
    np.testing.assert_allclose(prior.local[candidate], (counts + 2 * p_g.mean(axis=0)) / 4)
    assert inventory.counts[candidate] == 2
