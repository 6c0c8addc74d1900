"""Metrics by name, and how text reaches them."""

import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.catalogue import METRICS, make_metrics
from hyperbaton.tuning.metrics.words import TextOptions, batches, load_tokeniser, n_references
from tests.refusals import refusals, refused
from tests.tuning.metrics.translations import check_laws, outputs

REFERENCES = [["a b c d"], ["c d", "d"]]


def test_every_metric_can_be_made_and_has_a_signature():
    metrics = make_metrics(METRICS, REFERENCES)
    assert len(metrics) == len(METRICS)
    assert len({metric.name for metric in metrics}) == len(METRICS)
    assert all(metric.signature for metric in metrics)


OF_TEXT = [name for name, made in zip(METRICS, make_metrics(METRICS, REFERENCES), strict=True)
           if not made.needs_visits]  # fmt: skip


@pytest.mark.parametrize("name", OF_TEXT)
@given(of=outputs())
def test_every_metric_of_text_obeys_the_laws(name, of):
    [metric] = make_metrics([name], of.references)
    check_laws(metric, of)


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


ALL = f"known: {', '.join(sorted(METRICS))}"


@refusals(
    (lambda: make_metrics(["blue"], REFERENCES), f"'blue' … did you mean bleu? … {ALL}"),
    (lambda: make_metrics(["chrf+++"], REFERENCES), f"did you mean chrf++? … {ALL}"),
    (lambda: make_metrics(["qqq"], REFERENCES), f"'qqq' … {ALL}"),
    (lambda: Bleu(TextOptions(tokenize="13")), "no tokeniser '13' … did you mean 13a?"),
    error=SettingError,
)
def test_unknown_names(make):
    make()


def test_a_tokeniser_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", None)
    refused("ja-mecab … pip install 'sacrebleu[ja]'", lambda: load_tokeniser("ja-mecab"))


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
    for references, facts in (
        ([["a"], []], "sentence 2 has no reference … at least one"),
        ([["a"]], "2 hypotheses, but references for 1"),
    ):
        refused(facts, partial(metric.statistics, Outputs(["a", "b"], references)))
