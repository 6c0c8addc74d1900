"""The probabilities of held-out visits, by hand and as a law."""

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.models.distortion.interface import START, Steps
from hyperbaton.models.distortion.parse.model import Parse
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.settings import PhraseSettings
from tests.decoder.systems import find_options
from tests.models.distortion.parse.held_out_visits import visit_log_p
from tests.models.distortion.parse.small import small_corpus, small_model
from tests.models.phrases.corpora import corpus_of

# "a" has 20 translations that are seen twice and 10 that are seen once: the latter are `other`
OFTEN, ONCE = [f"t{n:02}" for n in range(20)], [f"u{n}" for n in range(10)]
PAIRS = [(["a"], [target], [(0, 0)]) for target in [*OFTEN, *OFTEN, *ONCE]]


def log_p_of(model, pairs):
    """log p(t | s, j) of the first visit of each pair."""
    found = visit_log_p(model, corpus_of(pairs), threads=1)
    first = np.searchsorted(found.sentence, np.arange(len(pairs)))
    return found.translation[first]


def one(target):
    return (["a"], [target], [(0, 0)])


def test_translations_that_are_not_candidates_share_a_probability_by_hand():
    model = Parse(use="count", alpha=0).fit(corpus_of(PAIRS), threads=1)
    # 50 visits; e_0 and `other` count half an occurrence more; ten members, and one never seen
    named, member = 2 / 51, (10 + 0.5) / 51 / 11
    found = np.exp(log_p_of(model, [one("t00"), one("t19"), one("u0"), one("u9"), one("never")]))
    np.testing.assert_allclose(found, [named, named, member, member, member])
    assert found[0] > 2 * found[2]  # although the members together are seen five times as often


@pytest.mark.parametrize("use", ["count", "count+lexical", "prior+lexical", "lexical"])
def test_probabilities_of_all_translations_sum_to_one(use):
    model = Parse(use=use, min_count=1, iterations=5, unaligned="left")
    model.fit(corpus_of(PAIRS), threads=1)
    # an unaligned word is visited first if there is no aligned one to its left: e_0, jump 1
    empty = (["a", "a"], ["t00"], [(1, 0)])
    everything = [one(target) for target in [*OFTEN, *ONCE, "never"]]
    assert np.exp(log_p_of(model, [*everything, empty])).sum() == pytest.approx(1)


def test_an_unknown_word_may_be_any_translation():
    model = Parse(use="count").fit(corpus_of(PAIRS), threads=1)
    # no visit is empty, all 50 are `other`; there are 30 translations, and one never seen
    [found] = np.exp(log_p_of(model, [(["b"], ["t00"], [(0, 0)])]))
    assert found == pytest.approx((50 + 0.5) / 51 / 31)


def test_the_search_scores_members_like_held_out_visits():
    corpus, sentence = corpus_of(PAIRS), Sentence(("a",))
    phrases = train_phrases(corpus, PhraseSettings(reordering="none"))
    model = Parse(use="count", alpha=0).fit(corpus, phrases=phrases, threads=1)
    lm = LanguageModel.from_ngrams(estimate(corpus.target.words, corpus.target.vocabulary, 2))
    options = find_options(sentence.words, phrases, lm, 100)
    scorer = model.prepare(sentence, options)
    n = len(options)
    steps = Steps(
        np.full(n, START, np.int32), np.arange(n, dtype=np.int32), np.zeros((n, 1), np.uint64),
        np.full(n, scorer.initial_state, np.int64),
    )  # fmt: skip
    prior = np.exp(scorer.features(steps)[:, 1])
    texts = [phrases.target_vocabulary.decode(row)[0] for row in options.target_words]
    by_hand = {"t": 2 / 51, "u": 10.5 / 51 / 11}
    np.testing.assert_allclose(prior, [by_hand[text[0]] for text in texts])
    assert {text[0] for text in texts} == {"t", "u"}


def test_jump_and_translation_are_the_likelihood_of_training():
    # on the training data, without unnamed translations, both together are what was maximised
    model = small_model("me+cov+sib")
    found = visit_log_p(model, small_corpus(), threads=1)
    both = found.jump + found.translation
    assert both.mean() == pytest.approx(model.learned_.report["log_likelihood"])
    assert (found.jump < 0).all()
    assert (found.translation <= 1e-12).all()
