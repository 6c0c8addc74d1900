"""Models that look at the coverage, through the batch path of the search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.models.distortion.gaps import Gaps
from hyperbaton.models.distortion.interface import DistortionModel, SentenceScorer
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.model import Lexicalised
from tests.decoder import oracles
from tests.decoder.systems import hand_translator, systems, weights


class RunScorer(SentenceScorer):
    """State: how many monotone steps were made in a row, up to 2, and where the last one ended."""

    n_features = 1

    def __init__(self, options):
        self.options = options

    def _run(self, steps):
        run, end = steps.state % 3, steps.state // 3
        straight = self.options.start[steps.option] == end
        return np.where(straight, np.minimum(run + 1, 2), 0)

    def features(self, steps):
        return self._run(steps)[:, None].astype(float)

    def advance(self, steps):
        return self.options.end[steps.option].astype(np.int64) * 3 + self._run(steps)

    def finish(self, state):
        return (state % 3)[:, None].astype(float)


class Run(DistortionModel):
    name = "run"
    feature_names = ("run",)

    def settings(self):
        return {}

    def prepare(self, sentence, options):  # noqa: ARG002
        return RunScorer(options)


def slow_gaps(path, n_words):
    covered, total = [False] * n_words, 0
    for start, end, *_ in path:
        covered[start:end] = [True] * (end - start)
        text = "".join("x" if c else "." for c in covered).rstrip(".")
        total -= sum(1 for stretch in text.split("x") if stretch)
    return total


def slow_run(path):
    total, run, last = 0, 0, 0
    for start, end, *_ in path:
        run = min(run + 1, 2) if start == last else 0
        total, last = total + run, end
    return total + run


@given(systems(max_words=4), st.sampled_from([1, 2, -1]), weights, weights)
def test_exhaustive_search_finds_every_derivation_in_order(system, limit, gaps, run):
    table, lm, kind, own, words = system
    own = own | {"gaps": gaps, "run": run}
    options = oracles.options_of(words, table, lm, own, 3)
    expected = []
    for path in oracles.derivations(len(words), options, limit):
        values, _ = oracles.features(path, table, lm, kind)
        values |= {"gaps": slow_gaps(path, len(words)), "run": slow_run(path)}
        expected.append(sum(own[name] * value for name, value in values.items()))
    expected.sort(reverse=True)
    models = [Gaps(), Linear(), Run(), *([Lexicalised(kind)] if kind else [])]
    search = SearchSettings(pop_limit=0, stack_size=0, options=3, distortion_limit=limit)
    decoder = Decoder(table, lm, models, own, search)
    decoded = decoder.decode(Sentence(tuple(words)), n_best=len(expected) + 5)
    np.testing.assert_allclose(decoded.scores, expected, atol=1e-5)
    values = decoded.features() @ np.array([own[name] for name in decoder.feature_names])
    np.testing.assert_allclose(values, decoded.scores, atol=1e-5)


@pytest.mark.parametrize("n_words", [65, 130])
def test_long_sentences(n_words):
    words = ("kare wa hon o katta " * 40).split()[:n_words]
    search = SearchSettings(pop_limit=20, max_length=0)
    decoded = hand_translator(Linear(), Gaps(), search=search, gaps=0.5).decode(" ".join(words))
    assert decoded.features()[0][-1] == slow_gaps(decoded.spans(), n_words)
