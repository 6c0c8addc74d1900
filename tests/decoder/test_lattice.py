"""Search lattices against all derivations, and against n-best lists."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.lattice import NONE, _useful
from hyperbaton.decoder.output import lattice_lines
from hyperbaton.decoder.workspace import Capacity, make_workspace
from hyperbaton.models.distortion.gaps import Gaps
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.model import Lexicalised
from hyperbaton.models.system.folder import default_weights
from tests.decoder import oracles
from tests.decoder.systems import HAND, hand_translator, make_system, systems

LINE = re.compile(
    r"(\d+) hyp=(\d+) stack=(\d+) back=(\d+) score=(\S+) transition=(\S+)(?: recombined=(\d+))? "
    r"forward=(-?\d+) fscore=(\S+) covered=(\d+)-(\d+) out=(.*)"
)


def decoder_of(table, lm, kind, weights, **search):
    models = [Linear(), *([Lexicalised(kind)] if kind else []), Gaps()]
    own = weights | {"gaps": -0.3}
    return Decoder(table, lm, models, own, SearchSettings(options=3, lattice=True, **search))


def paths(lattice):
    """Every way from the beginning to the end: score, and the options on it."""
    after = {}
    for arc, node in enumerate(lattice.arc_from.tolist()):
        after.setdefault(node, []).append(arc)

    def extend(node, score, options):
        if node not in after:
            yield score, tuple(options)
        for arc in after.get(node, ()):
            step = float(lattice.arc_score[arc]), int(lattice.arc_option[arc])
            yield from extend(int(lattice.arc_to[arc]), score + step[0], [*options, step[1]])

    return list(extend(0, 0.0, []))


@given(systems(max_words=4), st.sampled_from([1, 2, -1]))
def test_the_lattice_of_an_exhaustive_search_holds_every_derivation(system, limit):
    table, lm, kind, weights, words = system
    decoder = decoder_of(
        table, lm, kind, weights, pop_limit=0, stack_size=0, distortion_limit=limit
    )
    options = oracles.options_of(words, table, lm, weights, 3)
    expected = []
    for path in oracles.derivations(len(words), options, limit):
        values, _ = oracles.features(path, table, lm, kind)
        expected.append(sum(weights[name] * value for name, value in values.items()))
        covered = np.zeros(len(words), bool)
        for start, end, *_ in path:
            covered[start:end] = True
            expected[-1] += 0.3 * (covered[1:] & ~covered[:-1]).sum()
    decoded = decoder.decode(Sentence(tuple(words)))
    found = paths(decoded.lattice)
    scores = sorted(score for score, _ in found)
    np.testing.assert_allclose(scores, sorted(expected), atol=1e-5)
    assert len({options for _, options in found}) == len(found)


@given(systems(max_words=6), st.integers(2, 30))
def test_the_best_ways_are_the_n_best_list(system, pops):
    table, lm, kind, weights, words = system
    decoder = decoder_of(table, lm, kind, weights, pop_limit=pops, stack_size=5)
    decoded = decoder.decode(Sentence(tuple(words)), n_best=20)
    lattice = decoded.lattice
    best = sorted((score for score, _ in paths(lattice)), reverse=True)[:20]
    np.testing.assert_allclose(decoded.scores, best, atol=1e-6)
    assert lattice.rest[0] == pytest.approx(best[0], abs=1e-6)
    # scores of nodes are those of the best ways to them, by another sum over the graph
    score = np.full(len(lattice), -np.inf)
    score[0] = 0.0
    for arc in range(len(lattice.arc_to)):
        before, node = lattice.arc_from[arc], lattice.arc_to[arc]
        score[node] = max(score[node], score[before] + lattice.arc_score[arc])
    np.testing.assert_allclose(lattice.score, score, atol=1e-6)
    ends = lattice.following == NONE
    assert (lattice.n_covered[ends] == len(words)).all()
    bits = [sum(int(word).bit_count() for word in row) for row in lattice.coverage]
    assert bits == lattice.n_covered.tolist()


def test_of_equally_good_ways_to_the_end_the_first_is_followed():
    workspace = make_workspace(2, 1, Capacity(3, 1, 1, 2, 2))
    hypotheses, arcs = workspace.hypotheses[:3], workspace.arcs[:2]
    hypotheses["score"], arcs["score"] = 0.0, -1.0
    arcs["before"], arcs["to"] = 0, [1, 2]  # two complete translations
    rest, following, _ = _useful(hypotheses, arcs, 1)
    assert (rest[0], following.tolist()) == (-1.0, [1, NONE, NONE])


@pytest.fixture(scope="module")
def lines():
    kind = "wbe-msd-bidirectional-fe"
    table, lm = make_system(HAND, kind)
    decoder = decoder_of(table, lm, kind, default_weights(kind), distortion_limit=-1)
    decoded = decoder.decode(Sentence.parse("kare wa hon o katta"), n_best=3)
    return decoded, list(lattice_lines(7, decoded))


def test_lines_are_those_of_moses(lines):
    decoded, (root, *others) = lines
    rows = [LINE.fullmatch(line).groups() for line in others]
    best = decoded.scores[0]
    forward, total = re.fullmatch(r"7 hyp=0 stack=0 forward=(\d+) fscore=(\S+)", root).groups()
    assert float(total) == pytest.approx(best, rel=1e-5)
    assert [int(row[1]) for row in rows] == list(range(1, len(rows) + 1))
    score = {0: 0.0}
    best_node = {row[1]: row for row in rows if row[6] is None}
    for number, hyp, stack, back, total, step, recombined, _, whole, start, end, _ in rows:
        assert number == "7"
        assert float(total) == pytest.approx(score[int(back)] + float(step), abs=2e-3)
        assert float(whole) <= best + 2e-3
        before = 0 if back == "0" else int(best_node[back][2])
        assert int(stack) == before + int(end) + 1 - int(start)
        if recombined is None:
            score[int(hyp)] = float(total)
        else:
            assert float(total) <= score[int(recombined)] + 2e-3
            assert stack == best_node[recombined][2]
    # following `forward` from the beginning gives the best translation
    words, at = [], forward
    while at != "-1":
        words += best_node[at][11].split()
        at = best_node[at][7]
    assert words == decoded.words()


def test_no_lattice_is_kept_unless_asked_for(lines):
    decoded = hand_translator().decode("hon")
    assert decoded.lattice is None
    assert list(lattice_lines(0, decoded)) == []
    assert lines[0].lattice is not None
