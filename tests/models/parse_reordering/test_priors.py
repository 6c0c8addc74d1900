"""Prior distributions by hand."""

import numpy as np
import pytest

from models.parse_reordering.events import Events
from models.parse_reordering.inventory import build_inventory, no_pairs
from models.parse_reordering.priors import estimate_prior, fill_prior
from models.parse_reordering.templates import TAG_BITS
from tests.models.parse_reordering.test_inventory import TAGS, pairs

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


def filled(kind, source, tag, more=None):
    found = build_inventory(pairs([row[:2] for row in ROWS]), more or no_pairs(), TAGS)
    inventory, sources, choice = found
    jump, tags = (np.array([row[k] for row in ROWS], np.int32) for k in (2, 3))
    empty = np.zeros(len(ROWS) + 1, np.int64)
    events = Events(sources, choice, jump, tags, empty, np.empty(0, np.int64))
    prior = estimate_prior(kind, 0.9, inventory, events, 6)
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
