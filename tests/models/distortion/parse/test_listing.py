"""Features for people to read."""

from functools import cache

import numpy as np

from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.parse.listing import FeatureRow, Wanted, list_features
from hyperbaton.models.distortion.parse.model import Parse
from tests.models.distortion.parse.small import small_corpus, small_model
from tests.refusals import refusals


@cache
def learned():
    return small_model("me+history+cov+sib", min_count=1).learned_


def rows(limit=1000, order="count", **wanted):
    return list_features(learned(), Wanted(**wanted), limit, order)[0]


def test_every_feature_can_be_listed():
    everything, n = list_features(learned(), Wanted(), 10**6)
    assert len(everything) == n == len(learned().counts)
    assert sorted(row.count for row in everything) == sorted(learned().counts.tolist())
    np.testing.assert_allclose(
        sorted(row.alpha for row in everything), np.sort(np.exp(learned().weights))
    )
    assert len(set(everything)) == n  # no two features look the same
    families = {row.family for row in everything}
    assert families == {"jump", "lexical", "context", "history", "tags", "words", "cov", "sib"}


def test_a_verb_and_the_pp_before_it():
    # in two of six pairs (three times each) the verb comes before its PP, by a jump of 3
    found = rows(family="sibling", tag="VV", node="PP")
    assert [(r.count, r.jump, r.target, r.source, r.coverage, r.side) for r in found] == [
        (6, 3, "VBD", "VV", 0, -1)
    ]
    assert found[0].alpha > 1


def test_both_types_of_sibling_features():
    # section 5.3: words with words, and source tags with target tags; both verbs jump over their PP
    found = rows(family="sibling", node="PP", jump=3, coverage=0, side=-1)
    assert {(row.count, row.source, row.target) for row in found} == {
        (3, "mai", "bought"), (3, "kan", "read"), (6, "VV", "VBD")
    }  # fmt: skip


def test_without_target_tags_words_are_alike_and_the_empty_translation_is_not():
    model = Parse(use="me+sib", min_count=1).fit(small_corpus(target_tags=False))
    wanted = {"VV": Wanted(family="sib", tag="VV", node="PP"),
              "DEC": Wanted(family="sib", tag="DEC", node="NP", coverage=1)}  # fmt: skip
    found = {tag: list_features(model.learned_, own)[0] for tag, own in wanted.items()}
    assert [(r.count, r.jump, r.target) for r in found["VV"]] == [(6, 3, "-")]
    # "who" in one pair, nothing in another, three times each
    assert {(r.count, r.target) for r in found["DEC"]} == {(3, "-"), (3, "e_0")}
    tagged = rows(family="sib", tag="DEC", node="NP", coverage=1)
    assert {(r.count, r.target) for r in tagged} == {(3, "WP"), (3, "e_0")}


def test_the_empty_translation():
    # le is never translated; it follows its verb, whose object is still open
    found = rows(family="lexical", word="le")
    assert {(r.count, r.jump, r.target) for r in found} == {
        (6, None, "e_0"), (6, 1, ""), (6, 1, "e_0")
    }  # fmt: skip
    assert all(row.target == "e_0" for row in rows(target="e_0"))
    assert {row.source for row in rows(target="e_0", family="lexical")} == {"le", "de"}
    assert not rows(target="other")


def test_de_and_its_siblings():
    # books i read: de is empty and its noun is covered. Its clause is open if de goes with the noun
    # (a jump of −1), and covered if it goes with the clause (monotone)
    expected = {
        "first": {("CP", 0, -1, -1, 3), ("NP", 1, 1, -1, 3)},
        "left": {("CP", 1, -1, 1, 3), ("NP", 1, 1, 1, 3)},
    }
    for unaligned, features in expected.items():
        model = small_model("me+sib", min_count=1, unaligned=unaligned)
        wanted = Wanted(family="sib", word="de", target="e_0")
        found, _ = list_features(model.learned_, wanted)
        assert {(r.node, r.coverage, r.side, r.jump, r.count) for r in found} == features


def test_a_prior_for_features_of_tags():
    model = small_model("me+sib", min_count=1, tag_variance=1e-3)
    everything, _ = list_features(model.learned_, Wanted(), 10**6)
    tags = {"PRP", "VBD", "DT", "NN", "NNS", "CD", "WP", "IN"}
    of_tags = [row for row in everything if row.target in tags]
    others = [row for row in everything if row.family in ("lexical", "jump")]
    assert len(of_tags) > 20
    assert max(abs(row.alpha - 1) for row in of_tags) < 0.02
    assert max(abs(row.alpha - 1) for row in others) > 0.1


def test_what_stands_beside():
    near = {row.near for row in rows(word="shu")}
    assert {"le _", "kan _", "_ </s>", "_ de", "a _", "<s> _", "left open"} <= near
    assert {row.near for row in rows(family="tags", tag="NN")} >= {"", "AS _", "_ DEC"}
    assert {"right covered", "left open"} == {row.near for row in rows(family="words")}
    assert "bought … _" in {row.near for row in rows(family="history")}


def test_phrases_of_several_words():
    found = rows(family="lexical", word="na xie")
    assert {row.target for row in found} == {"", "those"}
    assert "DT…M" in {row.source for row in rows(family="tags")}


def test_filters():
    assert {row.jump for row in rows(jump=3)} == {3}
    assert {row.side for row in rows(side=1)} == {1}
    assert {row.coverage for row in rows(coverage=1, family="sib")} == {1}
    assert {row.target for row in rows(target="VBD")} == {"VBD"}
    assert {row.target for row in rows(target="bought")} == {"bought"}
    assert {row.node for row in rows(family="coverage")} >= {"VP", "NP"}


def test_the_order():
    alphas = [abs(np.log(row.alpha)) for row in rows(order="alpha")]
    assert np.all(np.diff(alphas) <= 1e-9)  # of equals, rounding decides which comes first
    counts = [row.count for row in rows()]
    assert counts == sorted(counts, reverse=True)
    assert list_features(learned(), Wanted(), 3)[0] == rows()[:3]


@refusals(
    ({"family": "siblings"}, "unknown feature family 'siblings' … did you mean sibling?"),
    ({"word": "shuu"}, "the model has no source word 'shuu' … did you mean shu?"),
    ({"tag": "XYZ"}, "the model has no source tag 'XYZ'"),
    ({"node": "PPP"}, "the model has no node 'PPP' … did you mean PP?"),
    ({"target": "boughtt"}, "no target word or tag 'boughtt' … did you mean bought?"),
    error=SettingError,
)
def test_what_the_model_does_not_know(wanted):
    list_features(learned(), Wanted(**wanted))


def test_rows_are_plain_values():
    row = rows(limit=1)[0]
    assert isinstance(row, FeatureRow)
    assert isinstance(row.count, int)
    assert isinstance(row.alpha, float)
