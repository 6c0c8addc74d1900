"""Blocks number the features that occur in them."""

import numpy as np
import pytest

from hyperbaton.models.distortion.next_word import blocks
from hyperbaton.models.distortion.next_word.scores import PAIR, SEQUENCE
from hyperbaton.models.distortion.next_word.selection import keys_in_order
from hyperbaton.models.distortion.next_word.templates import describe
from tests.models.distortion.next_word import oracles
from tests.models.distortion.next_word.test_likelihood import EXAMPLES, setup


def test_a_block_has_all_features_of_its_pairs_once(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", 150)
    likelihood, _, sentences = setup(EXAMPLES, PAIR)
    known = [describe(key) for key in keys_in_order(likelihood.blocks.index).tolist()]
    counts = np.zeros(len(known), np.int64)
    assert len(likelihood.blocks) > 8
    for number in range(len(likelihood.blocks)):
        block = likelihood.blocks[number]
        assert block.features[0] == len(known)
        features = block.features[1:].tolist()
        assert len(set(features)) == len(features)
        counts[features] += 1
        found = {known[feature] for feature in features}
        needed = {
            feature
            for words, tags, _ in sentences[block.first : block.last]
            for i in range(len(words) + 1)
            for j in range(1, len(words) + 2)
            if i != j
            for feature in oracles.features(words, tags, i, j)
        }
        assert needed & set(known) <= found
        others = {names for names, _, _ in found - needed}  # of places that are no pair
        assert all(
            sum(name[0] == "s" for name in names) in (1, 2)
            or names in {("t[i]",), ("t[j]",), ("d",)}
            for names in others
        )
    assert counts.tolist() == likelihood.n_visits()[:-1].tolist()


@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_long_and_short_numbers_give_the_same(labels, monkeypatch):
    results, types = [], []
    for most in (1 << 16, 10):
        monkeypatch.setattr(blocks, "MOST_SHORT", most)
        likelihood, weights, _ = setup(EXAMPLES, labels, kept=0)
        value, gradient = likelihood.value_and_gradient(weights)
        results.append((value, gradient.tolist()))
        types.append(likelihood.blocks[0].tags.dtype)
    assert types == [np.uint16, np.int32]
    assert results[0] == results[1]
