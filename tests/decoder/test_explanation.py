"""Derivations taken apart: sums that add up, and alternatives against trying everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.explanation import explain
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.distortion.gaps import Gaps
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.model import Lexicalised
from hyperbaton.models.distortion.tables import Table, TableScorer
from hyperbaton.models.system.folder import default_weights
from tests.decoder import oracles
from tests.decoder.systems import HAND, make_system, systems
from tests.refusals import refused

LIMITS = st.sampled_from([0, 1, 2, -1])
TINY = 1e-9


def translator_of(table, lm, kind, weights, *, more=(), **search):
    models = [Linear(), *([Lexicalised(kind)] if kind else []), *more]
    return Translator(table, lm, models, weights, SearchSettings(options=3, **search))


class Ending(Linear):
    """Linear distortion that also has something to say of the sentence's end."""

    name = "ending"

    @property
    def feature_names(self):
        return ("ending.step", "ending.end")

    def prepare(self, sentence, options):
        table = super().prepare(sentence, options).tables[0]
        left = np.concatenate([[0], options.end]) - options.n_words
        finish = np.stack([np.zeros(len(left)), left.astype(float)], axis=1)
        return TableScorer(2, [Table(table.rows, table.columns, table.values)], finish)


@given(systems(max_words=6), LIMITS)
def test_contributions_add_up_to_the_score(system, limit):
    table, lm, kind, weights, words = system
    weights = weights | {"gaps": -0.4, "ending.step": 0.7, "ending.end": 0.2}
    more = [Gaps(), Ending()]
    translator = translator_of(table, lm, kind, weights, more=more, distortion_limit=limit)
    decoded = translator.decode(Sentence(tuple(words)), n_best=5)
    features = decoded.features()
    for number in range(len(decoded)):
        explanation = explain(translator, decoded, number)
        np.testing.assert_allclose(explanation.values.sum(axis=0), features[number], atol=TINY)
        total = explanation.contributions.sum()
        assert total == pytest.approx(decoded.scores[number], abs=TINY)
        assert explanation.score == decoded.scores[number]
        running = np.cumsum(explanation.contributions.sum(axis=1))
        np.testing.assert_allclose([s.score for s in explanation.steps], running[:-1], atol=TINY)
        assert explanation.part_scores.sum() == pytest.approx(total, abs=TINY)
        sizes = np.abs(explanation.part_scores)
        sizes[4] = 0.0  # the penalty of unknown words has no share
        moved = sizes.sum()
        np.testing.assert_allclose(explanation.shares * moved, sizes, atol=TINY)
        assert explanation.shares.sum() == pytest.approx(1.0 if moved else 0.0)
        spoken = [score for step in explanation.steps for score in step.word_scores]
        np.testing.assert_allclose(
            [*spoken, explanation.end_word_score],
            lm.word_scores(
                [word if word in lm.vocabulary else "<unk>" for word in decoded.words(number)]
            ),
            atol=TINY,
        )


@given(systems(max_words=5), LIMITS)
def test_steps_say_where_they_are(system, limit):
    table, lm, kind, weights, words = system
    translator = translator_of(table, lm, kind, weights, distortion_limit=limit)
    decoded = translator.decode(Sentence(tuple(words)))
    explanation = explain(translator, decoded)
    assert explanation.source_words == tuple(words)
    assert [w for step in explanation.steps for w in step.target_words] == decoded.words()
    assert explanation.links == tuple(decoded.links())
    covered, end = set(), 0
    for step, spans in zip(explanation.steps, decoded.spans(), strict=True):
        assert (*step.source, *step.target) == spans
        assert step.source_words == tuple(words[step.source[0] : step.source[1]])
        assert step.jump == step.source[0] - end
        covered |= set(range(*step.source))
        end = step.source[1]
        assert step.covered == tuple(place in covered for place in range(len(words)))
        assert step.is_unknown == (step.values[7] == -100.0)


def test_alternatives_that_score_the_same_are_shown_from_short_to_long_and_left_to_right():
    table, lm = make_system(HAND)
    weights = dict.fromkeys(default_weights(""), 0.0)
    translator = translator_of(table, lm, "", weights, distortion_limit=-1)
    decoded = translator.decode(Sentence.parse("hon o katta"))
    [first, *_] = explain(translator, decoded).steps
    spans = [alternative.source for alternative in first.alternatives]
    assert len(spans) > 3
    assert spans == sorted(spans, key=lambda span: (span[1] - span[0], span[0]))


def scored(path, table, lm, kind, weights, *, whole):
    """The weighted score of a beginning of a derivation."""
    values, text = oracles.features(path, table, lm, kind)
    values["lm"] = lm.score(oracles.known(lm, text), end=whole)
    return sum(weights[name] * value for name, value in values.items())


@given(systems(max_words=5), LIMITS)
def test_alternatives_are_the_best_of_all_that_was_possible(system, limit):
    table, lm, kind, weights, words = system
    translator = translator_of(table, lm, kind, weights, distortion_limit=limit)
    decoded = translator.decode(Sentence(tuple(words)))
    explanation = explain(translator, decoded, n_alternatives=100)
    options = oracles.options_of(words, table, lm, weights, 3)
    left_over = oracles.estimates(len(words), options, table, lm, weights)
    path, covered, end = [], set(), 0
    for step, number in zip(explanation.steps, decoded.chosen[0].tolist(), strict=True):
        first = min(set(range(len(words))) - covered)
        best, limit_ = {}, len(words) if limit < 0 else limit
        for option in options:
            span = set(range(*option[:2]))
            if span & covered or abs(option[0] - end) > limit_:
                continue
            if option[0] != first and option[1] - first > limit_:
                continue
            after = covered | span
            total = scored(
                [*path, option], table, lm, kind, weights, whole=len(after) == len(words)
            )
            total += left_over(after, option[1])
            best[option[:2]] = max(best.get(option[:2], -np.inf), total)
        found = {}
        for alternative in step.alternatives:
            assert alternative.jump == alternative.source[0] - end
            found[alternative.source] = max(
                found.get(alternative.source, -np.inf), alternative.total
            )
        assert found == pytest.approx(best, abs=1e-5)
        totals = [alternative.total for alternative in step.alternatives]
        assert totals == sorted(totals, reverse=True)
        [chosen] = [a for a in step.alternatives if a.is_chosen]
        assert (chosen.source, chosen.target_words) == (step.source, step.target_words)
        before = scored(path, table, lm, kind, weights, whole=False) if path else 0.0
        assert chosen.score == pytest.approx(chosen.total - chosen.future - before, abs=1e-5)
        entry = int(decoded.options.table.entry[number])
        path.append((*step.source, entry if entry >= 0 else None, list(step.target_words)))
        covered |= set(range(*step.source))
        end = step.source[1]


@pytest.fixture(scope="module")
def hand():
    kind = "wbe-msd-bidirectional-fe"
    table, lm = make_system(HAND, kind)
    return translator_of(table, lm, kind, _weights(), distortion_limit=-1)


def _weights():
    from hyperbaton.models.system.folder import default_weights

    return default_weights("wbe-msd-bidirectional-fe")


def test_jumps_by_hand(hand):
    """A system that likes jumps: the second word first (jump 1), then back over both (jump -2)."""
    eager = hand.with_weights({"linear": -5.0})
    explanation = explain(eager, eager.decode("hon kare"))
    assert [(step.source, step.jump) for step in explanation.steps] == [((1, 2), 1), ((0, 1), -2)]
    assert [step.covered for step in explanation.steps] == [(False, True), (True, True)]
    linear = explanation.feature_names.index("linear")
    assert [step.values[linear] for step in explanation.steps] == [-1.0, -2.0]
    assert explanation.contributions[:, linear].tolist() == [5.0, 10.0, 0.0]
    assert [part.name for part in explanation.parts] == [
        "translation", "phrase_penalty", "word_penalty", "lm", "unknown", "linear", "msd"
    ]  # fmt: skip
    assert explanation.part_scores[5] == 15.0
    alone = explain(eager, eager.decode("hon kare"), n_alternatives=0)
    assert all(len(step.alternatives) == 1 for step in alone.steps)


def test_an_unknown_word_is_copied_or_dropped(hand):
    copied = explain(hand, hand.decode("hon o nageta"))
    [step] = [step for step in copied.steps if step.is_unknown]
    assert (step.source_words, step.target_words) == (("nageta",), ("nageta",))
    [other] = [a for s in copied.steps for a in s.alternatives if a.source_words == ("nageta",)][:1]
    assert other.target_words == ("nageta",)
    dropping = hand.with_settings(drop_unknown=True)
    dropped = explain(dropping, dropping.decode("hon o nageta"))
    [step] = [step for step in dropped.steps if step.is_unknown]
    assert (step.target_words, step.word_scores) == ((), ())
    assert dropped.contributions.sum() == pytest.approx(dropped.score, abs=TINY)


def test_models_of_one_kind_are_told_apart_by_their_features():
    kind = "wbe-msd-bidirectional-fe"
    table, lm = make_system(HAND, kind)

    class Other(Linear):
        @property
        def feature_names(self):
            return ("far.linear",)

    weights = _weights() | {"far.linear": 0.1}
    translator = Translator(table, lm, [Linear(), Other()], weights)
    explanation = explain(translator, translator.decode("hon o katta"))
    assert [part.name for part in explanation.parts if part.is_distortion] == ["linear", "far"]


def test_nothing_to_explain(hand):
    refused("an empty sentence has no derivation", lambda: explain(hand, hand.decode("")))
