"""The oracle against all derivations of small systems, and its ranks by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.alignment import order_of_links
from hyperbaton.corpus.sentences.sentence import FREE, Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.foundation.errors import BadLine, SettingError
from hyperbaton.models.distortion.conformance import check_model
from hyperbaton.models.distortion.oracle import Oracle
from hyperbaton.models.system.folder import default_models
from tests.decoder.oracles import everything
from tests.decoder.systems import systems
from tests.models.distortion.test_models import options_for
from tests.refusals import refusals, refused

WORDS = ("kare", "wa", "hon", "o", "katta", "nani")


@pytest.mark.parametrize("unaligned", ["free", "left", "right"])
def test_the_oracle_obeys_the_laws(unaligned):
    sentence = Sentence(WORDS, order=(0, FREE, 3, FREE, 1, 2))
    check_model(lambda: Oracle(unaligned=unaligned), sentence, options_for("", sentence))


def in_order(sentence, *spans, **settings):
    """What each step of a derivation costs that takes these spans."""
    options = options_for("", sentence)
    scorer = Oracle(**settings).prepare(sentence, options)
    return steps_of(scorer, options, spans)


def steps_of(scorer, options, spans):
    from hyperbaton.foundation.coverage import cover_spans
    from hyperbaton.models.distortion.interface import Steps

    covered, found = np.zeros((1, 1), np.uint64), []
    for start, end in spans:
        [option, *_] = np.flatnonzero((options.start == start) & (options.end == end))
        steps = Steps(np.array([-1]), np.array([option]), covered, np.zeros(1, np.int64))
        found.append(float(scorer.features(steps)[0, 0]))
        cover_spans(covered, np.array([start]), np.array([end]))
    return found


def test_words_that_come_too_late_by_hand():
    # the reference has kare first, then katta, then hon; wa, o and nani are in none of it
    sentence = Sentence(WORDS, order=(0, FREE, 2, FREE, 1, FREE))
    one_by_one = [(n, n + 1) for n in range(6)]
    # hon (2) comes before katta (4)
    assert in_order(sentence, *one_by_one) == [0, 0, -1, 0, 0, 0]
    in_its_order = [(0, 1), (4, 5), (2, 3), (1, 2), (3, 4), (5, 6)]
    assert in_order(sentence, *in_its_order) == [0] * 6
    # wa belongs to kare, o to hon, nani to katta: wa and nani come late, once for hon, and nani
    # is before o as well
    assert in_order(sentence, *in_its_order, unaligned="left") == [0, -1, -2, 0, -1, 0]
    # wa belongs to hon, o to katta, and nani has no neighbour to its right: o comes too late
    assert in_order(sentence, *in_its_order, unaligned="right") == [0, 0, -1, -1, 0, 0]


@given(systems(max_words=4), st.data())
def test_the_order_of_a_reference_is_followed_as_far_as_possible(system, data):
    table, lm, kind, weights, words = system
    link = st.tuples(st.integers(0, len(words) - 1), st.integers(0, 4))
    links = data.draw(st.lists(link, unique=True, max_size=6))
    place = {
        s: sum(t for s2, t in links if s2 == s) / sum(s2 == s for s2, _ in links) for s, _ in links
    }

    def too_late(path):
        """Words that a phrase should have waited for, over all phrases."""
        done, n = set(), 0
        for start, end in path:
            done |= set(range(start, end))
            last = max([place[word] for word in range(start, end) if word in place], default=-1)
            n += sum(where < last and word not in done for word, where in place.items())
        return n

    every = everything(system, 2)
    least = min(too_late(spans) for *_, spans in every)
    best = max(score for score, _, spans in every if too_late(spans) == least)
    search = SearchSettings(pop_limit=0, stack_size=0, distortion_limit=2)
    model = Oracle()
    decoder = Decoder(
        table, lm, [*default_models(kind), model], weights | {"oracle": model.price}, search
    )
    flat = [number for pair in links for number in pair]
    sentence = Sentence(tuple(words), order=order_of_links(flat, len(words)))
    decoded = decoder.decode(sentence, 1, distinct=False)
    feature = decoded.features()[0, decoded.feature_names.index("oracle")]
    assert feature == -least
    assert decoded.scores[0] + model.price * least == pytest.approx(best, abs=1e-4)


def test_ranks_are_by_the_mean_place():
    # word 0 at places 1 and 4 (2.5), word 1 at 2, word 3 at 5 and 0 (2.5 as well), word 2 nowhere
    assert order_of_links([0, 1, 0, 4, 1, 2, 3, 5, 3, 0], 4) == (1, 0, FREE, 1)
    refused("9-0 … a sentence of 3 words", lambda: order_of_links([0, 0, 9, 0], 3), BadLine)


@refusals(({"price": 0.0}, "0.0"), ({"unaligned": "up"}, "up"), error=SettingError)
def test_settings_out_of_range(wrong):
    Oracle(**wrong)
