import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.distortion.next_word.events import (
    NEVER,
    ORDERS,
    find_events,
    marked,
    option_ends,
    words_left_out,
)
from tests.models.distortion.next_word import oracles
from tests.models.phrases.corpora import corpus_of, small_pairs
from tests.refusals import refused


def events_of(pair, order=ORDERS[0], left_out=()):
    events = find_events(corpus_of([pair]), order, left_out)
    return list(zip(events.current.tolist(), events.next.tolist(), strict=True))


def test_the_figures_of_the_paper():
    # Figure 1: kare wa hon o katta / he bought a book; wa, o and a are unaligned (Figure 4)
    source = ["kare", "wa", "hon", "o", "katta"]
    pair = (source, ["he", "bought", "a", "book"], [(0, 0), (4, 1), (2, 3)])
    assert events_of(pair) == events_of(pair, "asc") == [(0, 1), (1, 5), (5, 3), (3, 6)]
    # Figure 2 (a): from kare, the first word, to the eighth, and its distortion
    source = ["kare", "wa", "pari", "de", "hon", "o", "issatsu", "katta"]
    pair = (
        source,
        ["he", "bought", "books", "in", "paris"],
        [(0, 0), (7, 1), (4, 2), (3, 3), (2, 4)],
    )
    events = find_events(corpus_of([pair]))
    assert events.next.tolist() == [1, 8, 5, 4, 3, 9]
    assert events.distortions.tolist() == [0, 6, -4, -2, -2, 5]


def test_several_links_by_hand():
    # source words 2 and 4 under one target word, after 7; word 4 again under the next one
    pair = (list("abcdefg"), list("XYZ"), [(6, 0), (1, 1), (3, 1), (3, 2), (0, 2)])
    assert events_of(pair, "span") == [(0, 7), (7, 2), (4, 1), (1, 8)]
    # Z is the rightmost aligned target word when the sentence ends; of its words, 1 and 4, the
    # rightmost is CP although it was visited before
    assert events_of(pair, "last") == [(0, 7), (7, 2), (4, 1), (4, 8)]
    assert events_of(pair, "asc") == [(0, 7), (7, 2), (2, 4), (4, 1), (1, 8)]


def test_current_place_is_the_source_word_of_the_rightmost_aligned_target_word():
    # il ne vient pas ici / he does not come here, with ne and pas both under "not": no word twice
    pair = (
        ["il", "ne", "vient", "pas", "ici"],
        ["he", "does", "not", "come", "here"],
        [(0, 0), (1, 2), (3, 2), (2, 3), (4, 4)],
    )
    assert events_of(pair, "last") == events_of(pair, "span") == [
        (0, 1), (1, 2), (4, 3), (3, 5), (5, 6)
    ]  # fmt: skip
    # The other way round: "not" is under both ne and pas, so its source word comes back. After
    # "il ne vient pas" the rightmost aligned target word is pas, so CP is "not" (3), not "come"
    pair = (
        ["he", "does", "not", "come", "here"],
        ["il", "ne", "vient", "pas", "ici"],
        [(0, 0), (2, 1), (3, 2), (2, 3), (4, 4)],
    )
    assert events_of(pair, "last") == [(0, 1), (1, 3), (3, 4), (3, 5), (5, 6)]
    assert events_of(pair, "span") == [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6)]
    # and where the sentence ends with pas, it ends at "not"
    pair = (pair[0][:4], pair[1][:4], pair[2][:4])
    assert events_of(pair, "last")[-1] == (3, 5)
    assert events_of(pair, "span")[-1] == (4, 5)


def test_an_option_is_left_at_the_word_of_its_rightmost_aligned_target_word():
    # does not come / ne vient pas at 1:4, links not-ne come-vient not-pas
    bits = np.uint64(sum(1 << (8 * t + s) for s, t in [(1, 0), (2, 1), (1, 2)]))
    start, end = np.array([1], np.int32), np.array([4], np.int32)
    none = np.zeros(5, bool), np.zeros(1, np.uint8)
    expected = {"last": (3, 3), "span": (3, 4), "asc": (3, 4)}  # places count from 1
    for order, places in expected.items():
        entered, left = option_ends(start, end, np.array([bits]), *none, ORDERS.index(order))
        assert (entered[0], left[0]) == places, order


def test_words_that_are_left_out_have_no_links():
    pair = (["hon", "o", "kau"], ["buy", "the", "book"], [(2, 0), (1, 1), (0, 2)])
    assert events_of(pair) == [(0, 3), (3, 2), (2, 1), (1, 4)]
    assert events_of(pair, left_out=["the"]) == [(0, 3), (3, 1), (1, 4)]
    assert events_of(pair, left_out=["o"]) == [(0, 3), (3, 1), (1, 4)]
    assert events_of(pair, left_out=["nowhere"]) == events_of(pair)


@given(st.lists(small_pairs(), max_size=4), st.sampled_from(ORDERS))
def test_events_of_random_pairs(pairs, order):
    events = find_events(corpus_of(pairs), order)
    expected, closed = [], []
    for source, target, links in pairs:
        moves, visited = oracles.moves(len(source), len(target), links, order)
        expected.append(moves)
        closed += [visited.get(word, NEVER) for word in range(len(source))]
    assert events.offsets.tolist() == [0, *np.cumsum([len(moves) for moves in expected])]
    flat = [move for moves in expected for move in moves]
    assert list(zip(events.current.tolist(), events.next.tolist(), strict=True)) == flat
    assert events.closed.tolist() == closed


@given(small_pairs(), st.sampled_from(ORDERS), st.booleans())
def test_options_are_entered_and_left_as_their_words_are_visited(pair, order, some_are_left_out):
    # An option that covers the whole sentence: the first event enters it, the last leaves it
    source, target, links = pair
    left_out = ["a", "B"] if some_are_left_out else []
    bits = np.uint64(sum(1 << (8 * t + s) for s, t in set(links)))
    target_out = sum(1 << t for t, word in enumerate(target) if word in left_out)
    entered, left = option_ends(
        np.array([0], np.int32),
        np.array([len(source)], np.int32),
        np.array([bits]),
        np.array([word in left_out for word in source]),
        np.array([target_out], np.uint8),
        ORDERS.index(order),
    )
    events = events_of(pair, order, left_out)
    if len(events) > 1:
        assert (entered[0], left[0]) == (events[0][1], events[-1][0])
    else:  # no links: the first and the last word
        assert (entered[0], left[0]) == (1, len(source))


def test_target_words_of_options_that_are_left_out():
    vocabulary = Vocabulary(["the", "book", "a"])  # 3, 4, 5
    words = Ragged(np.array([3, 4, 5, -1, 4, 3]), np.array([0, 3, 4, 4, 6]))
    mark = marked(vocabulary, ["the", "a", "unknown"])
    assert words_left_out(words, mark).tolist() == [0b101, 0, 0, 0b10]


def test_an_unknown_order_is_refused():
    facts = "'spam' … did you mean span"
    refused(facts, lambda: find_events(corpus_of([]), "spam"), SettingError)
