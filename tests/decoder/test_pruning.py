"""What the limits of the search throw away: worked out by hand, and against exhaustive search."""

import gzip
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.text import read_lines
from hyperbaton.decoder.decode import SearchSettings, score_unit
from hyperbaton.decoder.search import _smallest
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.model import Lexicalised
from hyperbaton.models.language_model import LanguageModel
from hyperbaton.models.system.folder import default_weights
from hyperbaton.models.system.training import train_system
from tests.decoder import oracles
from tests.decoder.systems import make_system, systems

DATA = Path(__file__).parents[2] / "data_samples" / "ja-en"


def by_language_model(folder, firsts, seconds, **search):
    """A system that translates `a` by u, v, w or x and `b` by z, word by word, and for which
    only log10 P(word), the same at the beginning of a sentence, and log10 P(z | word) count."""
    pairs = [(["a"], [word], [(0, 0)]) for word in "uvwx"]
    table, _ = make_system([*pairs, (["b"], ["z"], [(0, 0)])])
    lines = ["\\data\\", "ngram 1=8", "ngram 2=9", "", "\\1-grams:", "-99\t<s>\t0", "-99\t<unk>"]
    lines += [f"{value}\t{word}\t0" for word, value in zip("uvwxz", (*firsts, 0.0), strict=True)]
    lines += ["0\t</s>", "", "\\2-grams:", "0\tz </s>"]
    lines += [f"{value}\t<s> {word}" for word, value in zip("uvwx", firsts, strict=True)]
    lines += [f"{value}\t{word} z" for word, value in zip("uvwx", seconds, strict=True)]
    path = folder / "lm.arpa"
    path.write_text("\n".join([*lines, "", "\\end\\", ""]))
    weights = dict.fromkeys(default_weights(""), 0.0) | {"lm": 1 / np.log(10)}
    search = SearchSettings(**{"distortion_limit": 0, "pop_limit": 0} | search)
    return Translator(table, LanguageModel.from_arpa(path), [Linear()], weights, search)


# After one word u is the best and w the worst; with z behind them it is the other way round
GARDEN_PATH = (-1.0, -1.5, -2.5, -9.0), (-5.0, -3.0, -1.0, -0.5)


@pytest.mark.parametrize(
    ("beam", "kept", "text", "score"),
    [
        (0.4, 1, "u z", -6.0),
        (0.6, 2, "v z", -4.5),
        (1.4, 2, "v z", -4.5),
        (1.6, 3, "w z", -3.5),
        (8.1, 4, "w z", -3.5),
        (0.0, 4, "w z", -3.5),  # no limit
    ],
)
def test_a_beam_keeps_what_is_near_enough_to_the_best(tmp_path, beam, kept, text, score):
    decoded = by_language_model(tmp_path, *GARDEN_PATH, beam=beam).decode("a b")
    assert " ".join(decoded.words()) == text
    assert decoded.scores[0] == pytest.approx(score, abs=1e-5)
    assert decoded.statistics.largest_stack == kept
    assert decoded.statistics.pruned == 4 - kept


@pytest.mark.parametrize(
    ("size", "text"), [(1, "u z"), (2, "v z"), (3, "w z"), (4, "w z"), (0, "w z")]
)
def test_a_stack_keeps_its_best_hypotheses(tmp_path, size, text):
    decoded = by_language_model(tmp_path, *GARDEN_PATH, stack_size=size).decode("a b")
    assert " ".join(decoded.words()) == text
    assert decoded.statistics.largest_stack == (size or 4)


def test_the_narrower_of_beam_and_stack_decides(tmp_path):
    for size, beam, text in ((1, 1.6, "u z"), (3, 0.6, "v z"), (2, 0.4, "u z"), (2, 1.6, "v z")):
        decoded = by_language_model(tmp_path, *GARDEN_PATH, stack_size=size, beam=beam).decode(
            "a b"
        )
        assert " ".join(decoded.words()) == text, (size, beam)


@pytest.mark.parametrize(
    ("pop_limit", "text", "n_taken"),
    [
        # the unit is 1/4: 5 units reach from u to v, 1/2 below, but not to w, 3/2 below
        (5, "v z", 2),
        (50, "v z", 2),
        (500, "w z", 3),  # 7 units
        (0, "w z", 4),  # everywhere
    ],
)
def test_steps_far_below_the_best_are_not_taken(tmp_path, pop_limit, text, n_taken):
    translator = by_language_model(tmp_path, *GARDEN_PATH, pop_limit=pop_limit)
    decoded = translator.decode("a b")
    assert " ".join(decoded.words()) == text
    assert decoded.record.stack_sizes[1] == n_taken
    [forced] = translator.force("a b", "x z")  # whatever is asked for is in reach
    assert forced.text == "x z"
    assert forced.score == pytest.approx(-9.5, abs=1e-5)


# x is better than the others, which are equal after one word and taken in the order w, v, u; with z
# behind it, one that is taken later is better, and x is the worst
EQUAL = (-2.0, -2.0, -2.0, -1.0), (-1.0, -2.0, -3.0, -9.0)


@pytest.mark.parametrize(
    ("size", "text", "score"),
    [(1, "x z", -10.0), (2, "w z", -5.0), (3, "v z", -4.0), (4, "u z", -3.0)],
)
def test_of_equal_hypotheses_at_the_cut_the_first_stay(tmp_path, size, text, score):
    decoded = by_language_model(tmp_path, *EQUAL, stack_size=size).decode("a b")
    assert decoded.statistics.largest_stack == size
    assert " ".join(decoded.words()) == text
    assert decoded.scores[0] == pytest.approx(score, abs=1e-5)


def test_ties_at_the_cut_that_lie_on_the_edge_of_the_beam_too(tmp_path):
    """All four are equal after one word, and so narrow a beam keeps equal ones: the two that are
    taken first, w and x."""
    seconds = GARDEN_PATH[1][::-1]
    translator = by_language_model(tmp_path, (-2.0,) * 4, seconds, stack_size=2, beam=1e-300)
    decoded = translator.decode("a b")
    assert decoded.statistics.largest_stack == 2
    assert " ".join(decoded.words()) == "w z"
    assert decoded.scores[0] == pytest.approx(-5.0, abs=1e-5)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.data())
def test_the_value_of_a_rank(values, data):
    rank = data.draw(st.integers(0, len(values) - 1))
    assert _smallest(np.array(values, float), rank) == sorted(values)[rank]


@given(systems())
def test_under_any_limits_a_derivation_is_found_and_scored_as_it_is(system):
    table, lm, kind, weights, words = system
    models = [Linear(), *([Lexicalised(kind)] if kind else [])]
    options = oracles.options_of(words, table, lm, weights, 3)
    possible = []
    for path in oracles.derivations(len(words), options, -1):
        values, text = oracles.features(path, table, lm, kind)
        score = sum(weights[name] * value for name, value in values.items())
        possible.append((score, text))
    best = max(score for score, _ in possible)
    unlimited = SearchSettings(pop_limit=0, stack_size=0, options=3, distortion_limit=-1)
    translator = Translator(table, lm, models, weights, unlimited)
    sentence = Sentence(tuple(words))
    for limits in ({"pop_limit": 3, "stack_size": 2}, {"beam": 0.5}, {"stack_size": 1}):
        decoded = translator.with_settings(**limits).decode(sentence)
        scores = [score for score, text in possible if text == decoded.words()]
        assert scores
        assert np.abs(np.array(scores) - decoded.scores[0]).min() < 1e-5
    far = translator.with_settings(pop_limit=10**4, stack_size=10**4, beam=1e5)  # out of reach
    assert far.decode(sentence).scores[0] == pytest.approx(best, abs=1e-5)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A system trained on some sentences of the sample, and others to translate."""
    folder = tmp_path_factory.mktemp("sample")
    parts = []
    for kind in ("ja", "en", "align"):
        with gzip.open(DATA / f"train.{kind}.gz") as stream:
            (folder / kind).write_bytes(b"".join(islice(stream, 400)))
        parts.append(folder / kind)
    train_system(CorpusFiles(*parts), folder / "model")
    settings = SearchSettings(pop_limit=0, stack_size=0, options=10, distortion_limit=4)
    sentences = [Sentence.parse(line) for _, line in read_lines(DATA / "test.ja")]
    short = [sentence for sentence in sentences if 7 <= len(sentence) <= 10]
    translator = Translator.load(folder / "model", settings)
    return translator, short[:60]


def scores_of(translator, sentences, **limits):
    translator = translator.with_settings(**limits)
    return np.array([translator.decode(sentence).scores[0] for sentence in sentences])


def test_pruned_search_is_nearly_as_good_as_exhaustive_search(sample):
    """The bounds lie between what the search loses and what it loses if it takes steps in any
    worse order than best first."""
    translator, sentences = sample
    best = scores_of(translator, sentences)
    for pops, bound in ((20, 0.3), (50, 0.1), (100, 0.02), (200, 0.001)):
        lost = best - scores_of(translator, sentences, pop_limit=pops, stack_size=pops)
        assert lost.min() > -1e-5
        assert lost.mean() < bound, pops


@given(systems(max_words=6), st.sampled_from([2.0**-6, 0.25, 2.0, 64.0]))
def test_the_scale_of_the_weights_does_not_matter(system, factor):
    table, lm, kind, own, words = system
    models = [Linear(), *([Lexicalised(kind)] if kind else [])]
    search = SearchSettings(pop_limit=3, stack_size=2, distortion_limit=-1)
    scaled = {name: factor * weight for name, weight in own.items()}
    one, other = (
        Translator(table, lm, models, weights, search).decode(Sentence(tuple(words)), 5)
        for weights in (own, scaled)
    )
    assert one.chosen.values.tolist() == other.chosen.values.tolist()
    assert (factor * one.scores).tolist() == other.scores.tolist()


def test_the_default_weights_have_the_unit_1():
    weights = default_weights("")
    names = [name for name in weights if name.startswith("translation.") or name == "lm"]
    assert score_unit(sum(abs(weights[name]) for name in names)) == 1.0
    assert score_unit(0.0) == 1.0
