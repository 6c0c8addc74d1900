"""Reranking: against brute force on small lists, and with a feature that knows the answer."""

from itertools import product

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.progress import Reporter
from hyperbaton.tuning.evaluation.nbest_lists import (
    FeatureLists,
    NBestEntry,
    add_features,
    read_feature_lists,
)
from hyperbaton.tuning.optimisers.mert import Mert
from hyperbaton.tuning.weights.reranking import (
    Reranking,
    RerankingTask,
    check_names,
    learn,
    read_weights,
    reranked,
    write_weights,
)
from hyperbaton.tuning.weights.settings import TuneSettings
from tests.refusals import refusals, refused

BLEU4 = BLEU(tokenize="none")


def bleu(texts, references):
    return BLEU4.corpus_score(texts, [references]).score


def made_up(n_sentences, n_entries, seed=1):
    """References, and lists in which some of their words are wrong, by random scores."""
    draw = np.random.default_rng(seed)
    references = [" ".join(draw.choice(list("abcdefgh"), 9)) for _ in range(n_sentences)]
    entries = []
    for number, reference in enumerate(references):
        for _ in range(n_entries):
            wrong = draw.random(9) < draw.uniform(0, 0.6)
            words = np.where(wrong, draw.choice(list("xyz"), 9), reference.split())
            entries.append(NBestEntry(number, " ".join(words), float(draw.normal())))
    scores = np.array([[entry.score] for entry in entries])
    offsets = np.arange(n_sentences + 1) * n_entries
    return FeatureLists(entries, offsets, ("score",), scores, "lists"), references


def task(lists, references, method="mira", talk=lambda _: None, **settings):
    given = TuneSettings(method, **settings)
    return RerankingTask(lists, [[one] for one in references], None, given, 1, Reporter(talk))


def best_texts(lists, weights):
    return [own[0].text for own in reranked(lists, weights)]


@pytest.mark.parametrize("method", ["mira", "mert", "pro"])
def test_a_feature_that_knows_bleu_wins(method):
    lists, references = made_up(30, 8)
    draw = np.random.default_rng(2)
    known = [
        BLEU(tokenize="none", effective_order=True)
        .sentence_score(entry.text, [references[entry.sentence]])
        .score
        for entry in lists.entries
    ]
    lists = lists.with_feature("noise", draw.normal(size=len(known)))
    lists = lists.with_feature("known", np.array(known))
    said = []
    found = learn(task(lists, references, method, said.append))
    own = [entry.text for entry in (max(lists.entries[a : a + 8], key=lambda e: e.score)
                                    for a in range(0, 240, 8))]  # fmt: skip
    assert found.before == pytest.approx(bleu(own, references))
    assert found.after == pytest.approx(bleu(best_texts(lists, found.weights), references))
    by_known = bleu(best_texts(lists, {"score": 0, "noise": 0, "known": 1}), references)
    assert found.before + 10 < by_known <= found.oracle + 1e-9
    assert found.after > by_known - 3
    assert "the new weights are kept" in said[-1]


def test_brute_force_on_a_small_list():
    """With two features only the angle counts; all of them are tried, and all oracles."""
    lists, references = made_up(3, 4, seed=5)
    lists = lists.with_feature("other", np.random.default_rng(7).normal(size=12))
    mert = TuneSettings("mert").with_optimiser("mert", Mert(restarts=10, directions=4))
    found = learn(RerankingTask(lists, [[one] for one in references], settings=mert))
    angles = np.linspace(0, 2 * np.pi, 3001)
    scores = [
        bleu(best_texts(lists, {"score": np.cos(angle), "other": np.sin(angle)}), references)
        for angle in angles
    ]
    assert found.after == pytest.approx(max(scores))
    assert max(scores) > scores[0] == pytest.approx(found.before)
    texts = [[entry.text for entry in lists.entries[4 * n : 4 * n + 4]] for n in range(3)]
    assert found.oracle == pytest.approx(
        max(bleu(list(chosen), references) for chosen in product(*texts))
    )


def test_chance_is_not_learned():
    lists, references = made_up(12, 4, seed=3)
    lists = lists.with_feature("noise", np.random.default_rng(1).normal(size=48))
    said = []
    found = learn(task(lists, references, "mert", said.append))
    assert found.weights == {"score": 1, "noise": 0}
    assert found.after == found.before
    assert "not enough, the old weights are kept" in said[-1]


def test_the_order_by_hand(write):
    path = write(
        "l",
        "0 ||| a ||| lm= 1 ||| 1 ||| 0-0\n0 ||| b ||| lm= 3 ||| 0\n0 ||| c ||| lm= 3 ||| 0\n"
        "3 ||| d ||| lm= 0 ||| 2\n",
    )
    numbers = write("f", "0\n0.5\n0.5\n0.5\n")
    lists = add_features(read_feature_lists(path), [f"new={numbers}"])
    [first, second] = reranked(lists, {"score": 1, "lm": 0.5, "new": 2})
    assert first == [
        NBestEntry(0, "b", 2.5, "lm= 3 new= 0.5"),
        NBestEntry(0, "c", 2.5, "lm= 3 new= 0.5"),
        NBestEntry(0, "a", 1.5, "lm= 1 new= 0", ("0-0",)),
    ]
    assert second == [NBestEntry(3, "d", 3.0, "lm= 0 new= 0.5")]


def test_weights_are_read_as_they_were_written(tmp_path):
    weights = {"score": 1 / 3, "translation.0": -1e-17, "lm": 0.1 + 0.2}
    path = tmp_path / "w.toml"
    found = Reranking(weights, "BLEU", 1.0, 2.0, 3.0)
    write_weights(path, found, TuneSettings())
    assert read_weights(path) == weights
    assert path.read_text().startswith("format = 1\n")


@refusals(
    ("[weights]\nlm = 1\n", "is not a file of weights for reranking … format = 1"),
    ("format = 1\n", "is not a file of weights"),
    ("format = 1\n[weights]\nlm = nan\n", "weights.lm is nan, not a number"),
    ('format = 1\n[weights]\nlm = "x"\n', "weights.lm is 'x', not a number"),
)
def test_wrong_weights(write, text):
    read_weights(write("w", text))


def test_features_and_weights_must_agree():
    lists, _ = made_up(1, 1)
    check_names(lists, {"score": 1}, "w")
    facts = "lists: has no feature x … w has … give --feature x="
    refused(facts, lambda: check_names(lists, {"score": 1, "x": 1}, "w"))
    more = lists.with_feature("x", np.zeros(1))
    refused(
        "w: has no weight for score … it has weights for x",
        lambda: check_names(more, {"x": 1}, "w"),
    )


def test_metrics_of_word_order_need_more():
    lists, references = made_up(2, 2)
    with pytest.raises(SettingError, match="needs word alignments, which n-best lists do not have"):
        learn(task(lists, references, metric="kendall"))
