"""Metrics by name, and how text reaches them."""

import sys

import numpy as np
import pytest

from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.catalogue import METRICS, make_metrics
from hyperbaton.tuning.metrics.words import TextOptions, batches, load_tokeniser, n_references

REFERENCES = [["a b c d"], ["c d", "d"]]


def test_every_metric_can_be_made_and_has_a_signature():
    metrics = make_metrics(METRICS, REFERENCES)
    assert len(metrics) == len(METRICS)
    assert len({metric.name for metric in metrics}) == len(METRICS)
    assert all(metric.signature for metric in metrics)


def test_every_metric_likes_the_reference_best():
    visits = [[2, 0, 1], [0, 1]]
    others = [[0, 1, 2], [1, 0]]
    same = Outputs(["a b c d", "d"], REFERENCES, visits, visits)
    other = Outputs(["d x c a b e", "x y"], REFERENCES, others, visits)
    for metric in make_metrics(METRICS, REFERENCES):
        best, worse = metric.corpus_score(same), metric.corpus_score(other)
        assert best > worse if metric.higher_is_better else best < worse, metric.name


def test_names_in_any_case_and_each_once():
    metrics = make_metrics(["BLEU", " chrF", "bleu"], REFERENCES)
    assert [metric.name for metric in metrics] == ["BLEU", "chrF"]


def test_other_names_that_people_use():
    names = ["bleu1", "BLEU-1", "bleu4", "BLEU-4", "bleu", "Meteor", "nist", "chrF++", "TER"]
    found = [metric.name for metric in make_metrics(names, REFERENCES)]
    assert found == ["BLEU-1", "BLEU", "METEOR-exact-stem", "NIST", "chrF++", "TER"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("blue", f"did you mean bleu?\n  known: {', '.join(sorted(METRICS))}"),
        ("chrf+++", f"did you mean chrf++?\n  known: {', '.join(sorted(METRICS))}"),
        ("qqq", f"known: {', '.join(sorted(METRICS))}"),
    ],
)
def test_unknown_metric(name, expected):
    with pytest.raises(SettingError) as error:
        make_metrics([name], REFERENCES)
    assert str(error.value) == f"there is no metric {name!r}\n  {expected}"


def test_unknown_tokeniser():
    with pytest.raises(SettingError) as error:
        Bleu(TextOptions(tokenize="13"))
    assert str(error.value) == "there is no tokeniser '13'\n  did you mean 13a?"


def test_a_tokeniser_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", None)
    with pytest.raises(DataError) as error:
        load_tokeniser("ja-mecab")
    assert str(error.value) == (
        "the tokeniser ja-mecab is not installed\n"
        "  it is an optional part of sacrebleu\n"
        "  pip install 'sacrebleu[ja]'"
    )


def test_numbers_of_references():
    assert n_references([["a"], ["b"]]) == 1
    assert n_references([["a", "c"], ["b", "d"]]) == 2
    assert n_references([["a"], ["b", "d"]]) == -1


def test_words_become_numbers():
    [batch] = batches(Outputs(["a b a", ""], [["b", "c a"], ["a"]]), str)
    assert batch.words == ("a", "b", "c")
    assert [row.tolist() for row in batch.hypotheses] == [[0, 1, 0], []]
    assert [row.tolist() for row in batch.references] == [[1], [2, 0], [0]]
    assert batch.first_reference.tolist() == [0, 2, 3]
    assert batch.sentence_of_reference.tolist() == [0, 0, 1]
    np.testing.assert_array_equal(batch.rows.offsets, [0, 3, 3, 4, 6, 7])


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "nist", "wer", "meteor-exact-stem"])
def test_every_sentence_needs_a_reference(name):
    [metric] = make_metrics([name], REFERENCES)
    with pytest.raises(DataError) as error:
        metric.statistics(Outputs(["a", "b"], [["a"], []]))
    assert str(error.value) == "sentence 2 has no reference\n  every sentence needs at least one"
    with pytest.raises(DataError) as error:
        metric.statistics(Outputs(["a", "b"], [["a"]]))
    expected = "2 hypotheses, but references for 1\n  every hypothesis needs its references"
    assert str(error.value) == expected
