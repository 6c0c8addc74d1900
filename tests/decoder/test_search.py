"""The search against trying everything."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.search import NARROW_POPS, NARROW_STACK, search
from hyperbaton.decoder.workspace import (
    NARROWED,
    NO_TRANSLATION,
    Capacity,
    make_workspace,
    workspace_bytes,
)
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.gaps import Gaps
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.model import Lexicalised
from hyperbaton.models.language_model import LanguageModel
from hyperbaton.models.system.folder import default_weights
from tests.decoder import oracles
from tests.decoder.systems import HAND, make_system, systems

EXHAUSTIVE = SearchSettings(pop_limit=0, stack_size=0, options=3)
LIMITS = st.sampled_from([0, 1, 2, -1])


def decoder_of(table, lm, kind, weights, search=EXHAUSTIVE):
    models = [Linear(), *([Lexicalised(kind)] if kind else [])]
    return Decoder(table, lm, models, weights, search)


def total(values, weights):
    return sum(weights[name] * value for name, value in values.items())


@given(systems(), LIMITS)
def test_exhaustive_search_finds_every_derivation_in_order(system, limit):
    table, lm, kind, weights, words = system
    search = SearchSettings(pop_limit=0, stack_size=0, options=3, distortion_limit=limit)
    options = oracles.options_of(words, table, lm, weights, 3)
    expected = sorted(
        (
            total(oracles.features(path, table, lm, kind)[0], weights)
            for path in oracles.derivations(len(words), options, limit)
        ),
        reverse=True,
    )
    decoder = decoder_of(table, lm, kind, weights, search)
    best = decoder.decode(Sentence(tuple(words)))
    assert best.scores[0] == pytest.approx(expected[0], abs=1e-5)
    everything = decoder.decode(Sentence(tuple(words)), n_best=len(expected) + 5)
    np.testing.assert_allclose(everything.scores, expected, atol=1e-5)


@given(systems(), LIMITS)
def test_features_are_those_of_the_derivation(system, limit):
    table, lm, kind, weights, words = system
    search = SearchSettings(options=3, distortion_limit=limit)
    decoder = decoder_of(table, lm, kind, weights, search)
    decoded = decoder.decode(Sentence(tuple(words)), n_best=20)
    values = decoded.features()
    own = np.array([weights[name] for name in decoder.feature_names])
    np.testing.assert_allclose(values @ own, decoded.scores, atol=1e-5)
    for number in range(len(decoded)):
        path = []
        for option in decoded.chosen[number].tolist():
            row = decoded.options.table
            entry = int(row.entry[option])
            target = table.target_vocabulary.decode(row.target_words[option].tolist())
            place = int(row.start[option]), int(row.end[option])
            path.append((*place, *((entry, target) if entry >= 0 else (None, [words[place[0]]]))))
        slow, text = oracles.features(path, table, lm, kind)
        for name, value in zip(decoder.feature_names, values[number], strict=True):
            assert value == pytest.approx(slow[name], abs=1e-5), name
        assert decoded.words(number) == text
        covered = sorted(place for start, end, *_ in path for place in range(start, end))
        assert covered == list(range(len(words)))


@given(systems(max_words=6))
def test_no_distortion_means_monotone(system):
    table, lm, kind, weights, words = system
    decoder = decoder_of(table, lm, kind, weights, SearchSettings(distortion_limit=0))
    decoded = decoder.decode(Sentence(tuple(words)), n_best=10)
    for number in range(len(decoded)):
        spans = decoded.spans(number)
        assert spans == sorted(spans)


@pytest.fixture(scope="module")
def hand():
    kind = "wbe-msd-bidirectional-fe"
    table, lm = make_system(HAND, kind)
    return table, lm, kind, default_weights(kind)


def test_a_sentence_of_words_from_two_sentences(hand):
    decoder = decoder_of(*hand, SearchSettings(distortion_limit=-1))
    decoded = decoder.decode(Sentence.parse("kare wa hon o katta"))
    assert decoded.words() == ["he", "bought", "a", "book"]
    assert decoded.links() == [(0, 0), (2, 3), (4, 1)]


def test_unknown_words_are_copied_or_dropped(hand):
    sentence = Sentence.parse("hon o nageta")
    copied = decoder_of(*hand).decode(sentence)
    assert "nageta" in copied.words()
    assert (2, copied.words().index("nageta")) in copied.links()
    dropped = decoder_of(*hand, SearchSettings(drop_unknown=True)).decode(sentence)
    assert dropped.words() == ["a", "book"]
    assert dropped.features()[0][7] == -100.0


DISAPPOINTING = """\\data\\
ngram 1=5
ngram 2=6

\\1-grams:
-1.0\t</s>
-99\t<s>\t0
-0.4\tx\t0
-0.8\ty\t0
-1.3\tz\t0

\\2-grams:
-2.2\t<s> x
-9.0\t<s> y
-0.4\t<s> z
-0.5\tx </s>
-0.5\ty </s>
-0.5\tz </s>

\\end\\
"""


def test_good_options_do_not_hide_behind_disappointing_ones(tmp_path):
    """By themselves x is better than y and y than z; at the beginning of a sentence z is best, and
    y so bad that a queue of evaluated options alone would take it before z is looked at."""
    table, _ = make_system([(["a"], [word], [(0, 0)]) for word in "xyz"])
    (tmp_path / "lm.arpa").write_text(DISAPPOINTING)
    lm = LanguageModel.from_arpa(tmp_path / "lm.arpa")
    weights = dict.fromkeys(default_weights(""), 0.0) | {"lm": 1.0}
    decoder = Decoder(table, lm, [Linear()], weights, SearchSettings(pop_limit=2))
    decoded = decoder.decode(Sentence(("a",)))
    assert decoded.words(0) == ["z"]
    assert decoded.scores[0] == pytest.approx(-0.9 * np.log(10), abs=1e-5)


def test_an_empty_sentence_is_translated_by_nothing(hand):
    decoded = decoder_of(*hand).decode(Sentence(()))
    assert (decoded.words(), decoded.scores.tolist()) == ([], [0.0])
    assert decoded.features().shape == (1, len(decoder_of(*hand).feature_names))


@pytest.mark.parametrize("limit", [6, -1])
@pytest.mark.parametrize("n_words", [63, 64, 65, 130, 200])
def test_long_sentences(hand, n_words, limit):
    words = ("kare wa hon o katta " * 40).split()[:n_words]
    search = SearchSettings(distortion_limit=limit, pop_limit=30, stack_size=10)
    decoder = decoder_of(*hand, search)
    decoded = decoder.decode(Sentence(tuple(words)))
    covered = sorted(p for start, end, *_ in decoded.spans() for p in range(start, end))
    assert covered == list(range(n_words))
    own = np.array([decoder.weights[name] for name in decoder.feature_names])
    assert decoded.features()[0] @ own == pytest.approx(decoded.scores[0], abs=1e-3)


def test_distinct_lists_have_no_translation_twice_and_keep_the_order(hand):
    decoder = decoder_of(*hand)
    sentence = Sentence.parse("kare wa hon o katta")
    everything = decoder.decode(sentence, n_best=400)
    distinct = decoder.decode(sentence, n_best=8, distinct=True)
    texts = [tuple(distinct.words(n)) for n in range(len(distinct))]
    assert len(set(texts)) == len(texts) == 8
    seen = list(dict.fromkeys(tuple(everything.words(n)) for n in range(len(everything))))
    assert texts == seen[:8]


def test_a_workspace_serves_sentence_after_sentence(hand):
    decoder = decoder_of(*hand, SearchSettings(distortion_limit=-1))
    sentences = [Sentence.parse(text) for text in ("hon", "kare wa hon o katta", "hon o yonda", "")]
    together = [decoder.decode(sentence).scores[0] for sentence in sentences * 2]
    alone = [decoder_of(*hand, SearchSettings(distortion_limit=-1)).decode(s).scores[0]
             for s in sentences]  # fmt: skip
    assert together == alone * 2


@pytest.mark.parametrize("field", ["edges", "steps", "slots"])
def test_a_workspace_grows_where_it_is_too_small(hand, field):
    search = SearchSettings(distortion_limit=-1)
    sentence = Sentence(("kare", "wa", "hon", "o", "katta") * 2)
    expected = decoder_of(*hand, search).decode(sentence, 20)
    decoder = decoder_of(*hand, search)
    before = decoder._capacity = decoder._capacity._replace(**{field: 16})
    np.testing.assert_array_equal(decoder.decode(sentence, 20).scores, expected.scores)
    grown = {name for name in before._fields if getattr(decoder._capacity, name) > 2 * 16}
    assert field in grown
    others = set(before._fields) - {field, "hypotheses", "groups"}  # these grow with the sentence
    assert all(getattr(decoder._capacity, name) == getattr(before, name) for name in others)


@pytest.mark.parametrize("model", [Linear(), Gaps()])  # a table, and one that is asked
def test_when_the_time_is_up_few_steps_are_tried(hand, model):
    sentence = Sentence(("kare", "wa", "hon", "o", "katta") * 4)

    def decoded(seconds):
        settings = SearchSettings(distortion_limit=-1, time_limit=seconds)
        weights = default_weights("") | dict.fromkeys(model.feature_names, 0.3)
        return Decoder(*hand[:2], [model], weights, settings).decode(sentence, 5)

    never, late, early = map(decoded, (0.0, 1e-9, 1e9))
    assert (never.statistics.narrowed, early.statistics.narrowed) == (0, 0)
    assert never.statistics.counts() == early.statistics.counts()
    np.testing.assert_array_equal(early.scores, never.scores)
    assert late.statistics.narrowed == len(sentence)
    assert late.statistics.pops <= NARROW_POPS * len(sentence) < never.statistics.pops
    assert max(late.record.stack_sizes) <= NARROW_STACK < max(never.record.stack_sizes)
    covered = sorted(p for start, end, *_ in late.spans() for p in range(start, end))
    assert covered == list(range(len(sentence)))
    assert late.scores[0] <= never.scores[0]


def test_a_time_limit_makes_no_search_wider(hand):
    own = SearchSettings(pop_limit=3, stack_size=2)
    sentence = Sentence.parse("kare wa hon o katta")
    expected = decoder_of(*hand, own).decode(sentence)
    late = decoder_of(*hand, replace(own, time_limit=1e-9)).decode(sentence)
    assert late.statistics.pops == expected.statistics.pops
    assert late.words() == expected.words()


def test_what_only_a_wide_search_finds_is_found_whatever_the_time(hand, monkeypatch):
    def blind_when_late(*how):
        found, workspace = search(*how), how[2]
        return NO_TRANSLATION if workspace.counters[NARROWED] else found

    sentence = Sentence.parse("kare wa hon o katta")
    expected = decoder_of(*hand).decode(sentence)
    monkeypatch.setattr("hyperbaton.decoder.decode.search", blind_when_late)
    found = decoder_of(*hand, replace(EXHAUSTIVE, time_limit=1e-9)).decode(sentence)
    assert (found.words(), found.statistics.narrowed) == (expected.words(), 0)


@pytest.mark.parametrize("options", [0, 65])
def test_impossible_numbers_of_options(hand, options):
    with pytest.raises(SettingError, match=f"search.options is {options}\n  expected 1 to"):
        decoder_of(*hand, SearchSettings(options=options))


def test_the_memory_of_a_workspace_is_known_before_it_is_made():
    capacity = Capacity(1000, 200, 300, 500, 1024)
    arrays = make_workspace(70, 1, capacity)
    small = (arrays.stacks, arrays.counters, arrays.memory, arrays.bucket)
    size = sum(array.nbytes for array in arrays) - sum(array.nbytes for array in small)
    assert workspace_bytes(capacity) == size


def test_any_number_of_derivations_may_have_the_same_score():
    """Of 2⁴⁰ that all score the same, some are wanted, and no more is looked at."""
    table, lm = make_system([(["a"], [word], [(0, 0)]) for word in "xy"])
    decoder = Decoder(table, lm, [Linear()], default_weights(""), SearchSettings())
    decoded = decoder.decode(Sentence(("a",) * 40), n_best=50)
    assert len({tuple(decoded.words(number)) for number in range(50)}) == len(decoded) == 50
    assert decoded.scores.tolist() == pytest.approx([decoded.scores[0]] * 50, rel=1e-12)


@given(systems(), st.booleans())
def test_of_equal_derivations_the_best_one_is_the_first_of_the_list(system, narrow):
    """Without weights all derivations score the same."""
    table, lm, kind, weights, words = system
    weights = dict.fromkeys(weights, 0.0)
    own = SearchSettings(pop_limit=6, stack_size=4, options=3) if narrow else EXHAUSTIVE
    decoder = decoder_of(table, lm, kind, weights, own)
    sentence = Sentence(tuple(words))
    best, listed = decoder.decode(sentence), decoder.decode(sentence, n_best=10)
    assert set(listed.scores) == {0.0}
    assert best.chosen[0].tolist() == listed.chosen[0].tolist()


def test_of_equal_options_the_first_ones_of_the_table_are_tried():
    table, lm = make_system([(["a"], [f"t{number}"], [(0, 0)]) for number in range(9)])
    search = SearchSettings(options=4)
    decoder = Decoder(table, lm, [Linear()], default_weights(""), search)
    assert decoder.options(Sentence(("a",))).table.entry.tolist() == [0, 1, 2, 3]
