import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.tuning.evaluation.consensus import Scored, expected_gains, gains, lattice_consensus
from hyperbaton.tuning.evaluation.nbest_lists import NBestEntry, read_lists, side_by_side
from tests.decoder.oracles import everything
from tests.decoder.systems import systems
from tests.refusals import refusals
from tests.tuning.evaluation.test_diagnosis import translator_of

texts = st.lists(st.sampled_from("abc"), min_size=1, max_size=7).map(" ".join)


def bleu_plus_one(hypothesis, reference):
    """By sacrebleu, with its own smoothing that adds one to longer n-grams."""
    metric = BLEU(smooth_method="add-k", smooth_value=1, tokenize="none", effective_order=False)
    return metric.sentence_score(hypothesis, [reference]).score


@given(st.lists(texts, min_size=1, max_size=4))
def test_gains_are_those_of_sacrebleu(lines):
    values = gains(lines)
    for i, hypothesis in enumerate(lines):
        for j, reference in enumerate(lines):
            if set(hypothesis.split()) & set(reference.split()):
                assert values[i, j] == pytest.approx(bleu_plus_one(hypothesis, reference))
            else:
                assert values[i, j] == 0


@given(st.lists(st.tuples(texts, st.floats(-9, 0)), min_size=1, max_size=6), st.floats(0.1, 3))
def test_what_is_chosen_has_the_highest_expected_gain(entries, scale):
    """The sum over all derivations, written as it reads."""
    found = expected_gains(
        [Scored([text for text, _ in entries], np.array([score for _, score in entries]))], scale
    )
    total = sum(math.exp(scale * score) for _, score in entries)
    expected = {}
    for text, _ in entries:
        expected[text] = sum(
            math.exp(scale * score) / total * gains([text, other])[0, 1] for other, score in entries
        )
    assert dict(zip(found.texts, found.gain, strict=True)) == pytest.approx(expected, abs=1e-6)
    assert expected[found.texts[found.best]] == pytest.approx(max(expected.values()), abs=1e-6)


def test_the_majority_wins_over_the_best():
    found = expected_gains([Scored(["x y z", "a b c d", "a b c e", "a b c f"], np.zeros(4))], 1.0)
    assert found.texts[found.best] != "x y z"
    assert expected_gains([Scored(["x y z", "a b"], np.array([0.0, -50.0]))], 1.0).best == 0


def test_each_system_has_the_same_share():
    one = Scored(["a", "b"], np.log([0.5, 0.5]))
    other = Scored(["b"], np.array([-300.0]))
    assert expected_gains([one, other], 1.0).probability == pytest.approx([0.25, 0.75])


def test_lists_are_read_and_put_side_by_side(write):
    one = write(
        "one", "0 ||| a b ||| lm= -1 ||| -2.5\n0 ||| a ||| lm= -1 ||| -3\n2 ||| c ||| ||| 0\n"
    )
    other = write("other", "1 ||| d ||| lm= -1 ||| -1e-2 ||| 0-0\n")
    assert list(read_lists(one)) == [
        [NBestEntry(0, "a b", -2.5, "lm= -1"), NBestEntry(0, "a", -3.0, "lm= -1")],
        [NBestEntry(2, "c", 0.0)],
    ]
    assert list(read_lists(other)) == [[NBestEntry(1, "d", -0.01, "lm= -1", ("0-0",))]]
    pairs = list(side_by_side([read_lists(one), read_lists(other)]))
    assert [[entry.text for entries in lists for entry in entries] for lists in pairs] == [
        ["a b", "a"],
        ["d"],
        ["c"],
    ]


@refusals(
    ("0 ||| a ||| f\n", "list:1: not an entry of an n-best list"),
    ("0 ||| a ||| f= 1 ||| nan\n", "list:1: not an entry"),
    ("-1 ||| a ||| f= 1 ||| 0\n", "list:1: not an entry"),
    ("3 ||| a ||| ||| 0\n2 ||| a ||| ||| 0\n", "the list of sentence 2 comes after that of 3"),
)
def test_bad_lists_are_refused(write, text):
    list(read_lists(write("list", text)))


@given(systems(max_words=3), st.floats(0.2, 3.0))
def test_the_consensus_of_a_lattice(system, scale):
    """The expected linear gain of every translation, over all derivations, as the formula reads."""
    every = everything(system)
    top = max(score for score, *_ in every)
    share = [math.exp(scale * (score - top)) for score, *_ in every]

    def expected(text):
        gain = -len(text)
        for n in range(1, 5):
            for i in range(len(text) + 1 - n):
                ngram = text[i : i + n]
                sure = sum(
                    own
                    for own, (_, other, _) in zip(share, every, strict=True)
                    if any(other[k : k + n] == ngram for k in range(len(other)))
                )
                gain += sure / sum(share) / (4 * 0.8 * 0.6 ** (n - 1))
        return gain

    translator = translator_of(system, pop_limit=0, stack_size=0, distortion_limit=-1, lattice=True)
    found = lattice_consensus(translator.decode(Sentence(tuple(system[-1]))), scale)
    assert expected(found.words()) == pytest.approx(
        max(expected(text) for _, text, _ in every), abs=1e-4
    )
