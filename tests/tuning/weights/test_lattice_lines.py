"""What lattices say is best on lines, against all derivations that they hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.lattice import NONE
from hyperbaton.models.distortion.gaps import Gaps
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.model import Lexicalised
from hyperbaton.tuning.optimisers.interface import Lines
from hyperbaton.tuning.weights.lattice_lines import best_arcs
from tests.decoder.systems import systems
from tests.decoder.test_lattice import paths
from tests.strategies import examples
from tests.tuning.small_language import make_translator

ALL = 10**9


def decoded_and_paths(system, n_best=1, **search) -> tuple[Decoded, list[tuple[int, ...]]]:
    """A sentence, and all derivations in its lattice, by walking through it."""
    table, lm, kind, weights, words = system
    models = [Linear(), *([Lexicalised(kind)] if kind else []), Gaps()]
    settings = SearchSettings(options=3, lattice=True, distortion_limit=-1, **search)
    decoder = Decoder(table, lm, models, weights | {"gaps": -0.3}, settings)
    decoded = decoder.decode(Sentence(tuple(words)), n_best)
    return decoded, [options for _, options in paths(decoded.lattice)]


def vector_of(decoded, seed, n=1):
    return np.random.default_rng(seed).normal(size=(n, len(decoded.feature_names)))


def features_of(decoded, derivations):
    """By the decoder's way, one derivation at a time."""
    rows = []
    for options in derivations:
        chosen = type(decoded.chosen)(np.array(options, np.int32), np.array([0, len(options)]))
        one = type(decoded)(
            decoded.sentence, decoded.options, decoded.scorers, chosen, np.zeros(1), decoded.lm,
            decoded.feature_names,
        )  # fmt: skip
        rows.append(one.features()[0])
    return np.array(rows)


@given(systems(max_words=4), st.integers(0, 9))
def test_winners_are_the_best_of_all_derivations_everywhere_on_the_lines(system, seed):
    decoded, derivations = decoded_and_paths(system, pop_limit=0, stack_size=0)
    everything = features_of(decoded, derivations)
    weights, *directions = vector_of(decoded, seed, 4)
    reach = np.array([0.3, 1.0, 5.0])
    winners = best_arcs(decoded, ALL).winners(Lines(weights, np.array(directions), reach))
    found = winners.features()
    assert {tuple(row) for row in winners.chosen} <= set(derivations)
    assert len({tuple(row) for row in winners.chosen}) == len(winners)
    for direction, far in zip(directions, reach, strict=True):
        for x in np.linspace(-far, far, 41):
            best = (everything @ (weights + x * direction)).max()
            assert (found @ (weights + x * direction)).max() == pytest.approx(best, abs=1e-6)
    # and each is best somewhere: on the whole line nothing else is needed
    alone = best_arcs(decoded, ALL).winners(Lines(weights, np.zeros((1, len(weights))), reach[:1]))
    assert len(alone) == 1


@given(systems(max_words=5), st.integers(1, 12))
def test_the_best_arcs_hold_the_best_derivations(system, n):
    decoded, derivations = decoded_and_paths(system, pop_limit=20, stack_size=10, n_best=10**4)
    assert len(decoded) == len(derivations)
    lattice = best_arcs(decoded, n)
    arcs = lattice.arcs
    after: dict[int, list[int]] = {}
    for arc, node in enumerate(arcs.before.tolist()):
        after.setdefault(node, []).append(arc)

    def walk(node, options, total):
        if node not in after:
            yield tuple(options[:-1]), total
        for arc in after.get(node, ()):
            option = int(arcs.option[arc])
            values = lattice.features[arc]
            yield from walk(int(arcs.to[arc]), [*options, option], total + values)

    kept = dict(walk(0, [], 0.0))
    assert set(kept) <= set(derivations)
    order = [tuple(row) for row in decoded.chosen]
    # an arc is kept if the best derivation through it is among the best
    whole = decoded.lattice
    totals = whole.score[whole.arc_from] + whole.arc_score + whole.rest[whole.arc_to]
    totals = np.sort(np.concatenate([totals, whole.score[whole.following == NONE]]))[::-1]
    worst = totals[min(n, len(totals)) - 1]
    close = np.abs(totals - worst) < 1e-6
    assert (totals > worst).sum() <= len(arcs.to) + close.sum()
    assert len(arcs.to) <= (totals > worst).sum() + close.sum()
    for options, score in zip(order, decoded.scores, strict=True):
        if score > worst + 1e-6:
            assert options in kept
    # values of arcs add up to those of the derivations
    for row, options in enumerate(order):
        if options in kept:
            np.testing.assert_allclose(kept[options], decoded.features()[row], atol=1e-6)


def test_a_sentence_without_words():
    translator = make_translator().with_settings(lattice=True)
    decoded = translator.decode(Sentence(()))
    lines = Lines(*vector_of(decoded, 1), vector_of(decoded, 2), np.ones(1))
    assert best_arcs(decoded, 5).winners(lines).words() == []


@examples(0.4)
@given(systems(max_words=4))
def test_scores_are_those_of_the_search(system):
    decoded, _ = decoded_and_paths(system, n_best=10**4, pop_limit=0, stack_size=0)
    scores = dict(zip(map(tuple, decoded.chosen), decoded.scores, strict=True))
    lines = Lines(*vector_of(decoded, 1), vector_of(decoded, 2, 3), np.ones(3))
    winners = best_arcs(decoded, ALL).winners(lines)
    for options, score in zip(map(tuple, winners.chosen), winners.scores, strict=True):
        assert score == pytest.approx(scores[options], abs=1e-6)
