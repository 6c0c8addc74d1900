"""Hierarchical orientation in decoding, against all suffixes and prefixes of derivations."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.foundation.hashing import EMPTY, add_one_row, enlarged, no_rows
from hyperbaton.models.distortion.conformance import check_model
from hyperbaton.models.distortion.interface import START, OptionTable, Steps
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.hierarchical import HierarchicalScorer
from hyperbaton.models.distortion.msd.histories import first_histories
from hyperbaton.models.distortion.msd.model import Lexicalised
from hyperbaton.models.distortion.span_moves import OrientationScorer
from hyperbaton.models.phrases.reordering import CLASSES, ReorderingType
from hyperbaton.models.system.folder import default_weights
from tests.decoder import oracles
from tests.decoder.systems import make_system, weights
from tests.models.distortion.test_models import SENTENCE, options_for
from tests.models.phrases.corpora import small_corpora
from tests.strategies import examples

TYPES = [
    f"hier-{classes}-{direction}-{condition}"
    for classes in CLASSES
    for direction in ("backward", "forward", "bidirectional")
    for condition in ("f", "fe")
]


def stretch(spans):
    """Begin and end of the words of all spans, if they are without a hole."""
    words = sorted(word for start, end in spans for word in range(start, end))
    if words[-1] - words[0] + 1 == len(words):
        return words[0], words[-1] + 1
    return None


def slow_backward(path, number):
    """Orientation of a phrase towards the blocks of those before it."""
    start, end = path[number]
    if number == 0:
        return "monotone" if start == 0 else "right"
    blocks = [stretch(path[first:number]) for first in range(number)]
    if any(block and block[1] == start for block in blocks):
        return "monotone"
    if any(block and block[0] == end for block in blocks):
        return "swap"
    return "right" if path[number - 1][0] < start else "left"


def slow_forward(path, number):
    """Orientation of a phrase towards the blocks of those behind it."""
    start, end = path[number]
    blocks = [stretch(path[number + 1 : last]) for last in range(number + 2, len(path) + 1)]
    if any(block and block[0] == end for block in blocks):
        return "monotone"
    if any(block and block[1] == start for block in blocks):
        return "swap"
    return "right" if path[number + 1][0] > start else "left"


def slow_features(path, scores, kind):
    """Features of a whole derivation; `scores` has a row for each of its phrases."""
    found = {
        "backward": [slow_backward(path, number) for number in range(len(path))],
        "forward": [slow_forward(path, number) for number in range(len(path) - 1)],
    }
    values = np.zeros(len(kind.columns))
    for column, (direction, name) in enumerate(kind.columns):
        held = [oracles.ORIENTATION_NAMES[number] for number in CLASSES[kind.classes][name]]
        for number, orientation in enumerate(found[direction]):
            if orientation in held:
                values[column] += scores[number][column]
    return values


def table_of(spans, scores, n_words):
    """Options on the given spans, with reordering scores from nowhere."""
    start, end = np.array(spans, np.int32).T
    table = OptionTable(n_words, start, end, np.zeros(len(spans), np.int64), None)
    table.__dict__["reordering"] = np.array(scores)
    return table


def walk(scorer, table, path):
    """The steps of a derivation one after the other, with the features of each."""
    state, previous = scorer.initial_state, START
    coverage = np.zeros((1, (table.n_words + 63) // 64), np.uint64)
    for option in path:
        before, here = np.array([[previous], [option]], np.int32)
        step = Steps(before, here, coverage.copy(), np.array([state], np.int64))
        yield step, scorer.features(step)[0]
        state, previous = int(scorer.advance(step)[0]), option
        for place in range(table.start[option], table.end[option]):
            coverage[0, place >> 6] |= np.uint64(1) << np.uint64(place & 63)


@st.composite
def derivations(draw, max_words=12):
    """A sentence in phrases, in any order."""
    n_words = draw(st.integers(1, max_words))
    cuts = sorted(draw(st.sets(st.integers(1, n_words - 1)))) if n_words > 1 else []
    spans = list(zip([0, *cuts], [*cuts, n_words], strict=True))
    return n_words, spans, draw(st.permutations(range(len(spans))))


@given(st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=3)))
def test_rows_are_numbered_as_they_come(rows):
    table, known = no_rows(np.int64, 1), {}
    for row in rows:
        while (number := add_one_row(table, np.array(row, np.int64), len(row))) == EMPTY:
            table = enlarged(table)
        assert number == known.setdefault(tuple(row), len(known))
    kept = [table.values[table.begin[i] : table.begin[i + 1]].tolist() for i in range(len(known))]
    assert kept == [list(row) for row in known]


@examples(12)
@given(derivations(), st.sampled_from(TYPES), st.integers(0, 2**32 - 1))
def test_sums_over_derivations_are_those_of_all_suffixes_and_prefixes(derivation, type_, seed):
    n_words, spans, order = derivation
    kind = ReorderingType.parse(type_)
    # few values, so that some phrases are of one kind and some have nothing to wait for
    scores = np.random.default_rng(seed).integers(-1, 1, (len(spans), len(kind.columns))) / 2
    table = table_of(spans, scores, n_words)
    simple = kind.classes == "leftright"
    scorer = OrientationScorer(kind, table, scores) if simple else HierarchicalScorer(kind, table)
    values = [values for _, values in walk(scorer, table, order)]
    path = [spans[number] for number in order]
    np.testing.assert_allclose(np.sum(values, axis=0), slow_features(path, scores[order], kind))


@pytest.mark.parametrize("n_words", [64, 65, 130])
def test_long_sentences_and_more_histories_than_there_was_room_for(n_words):
    kind = ReorderingType.parse("hier-mslr-bidirectional-fe")
    random = np.random.default_rng(n_words)
    spans = [(place, place + 1) for place in range(n_words)]
    scores = random.normal(size=(n_words, len(kind.columns)))
    table = table_of(spans, scores, n_words)
    scorer = HierarchicalScorer(kind, table)
    scorer._histories = first_histories(4)
    for _ in range(3):
        # neighbours change places, so that there are blocks of all sizes
        order = np.argsort(np.arange(n_words) + random.uniform(0, 4, n_words)).tolist()
        values = [values for _, values in walk(scorer, table, order)]
        expected = slow_features([spans[number] for number in order], scores[order], kind)
        np.testing.assert_allclose(np.sum(values, axis=0), expected)
    assert len(np.unique(scorer._histories.slots)) - 1 == scorer._histories.total[0] > 50


def one_word_phrases(n_words, type_, scores):
    table = table_of([(place, place + 1) for place in range(n_words)], scores, n_words)
    return HierarchicalScorer(ReorderingType.parse(type_), table), table


def test_backward_steps_by_hand():
    def orientations(order):
        scorer, table = one_word_phrases(len(order), "hier-mslr-backward-fe", [[-1.0] * 4] * 6)
        rows = [values.tolist() for _, values in walk(scorer, table, order)]
        return [oracles.ORIENTATION_NAMES[row.index(-1.0)] for row in rows]

    # 0 is swapped with 1; 2 continues the block of both
    assert orientations([1, 0, 2]) == ["right", "swap", "monotone"]
    # 2 4 1 3 is a block, though no two or three of its words are
    expected = ["right", "right", "left", "right", "swap", "monotone"]
    assert orientations([2, 4, 1, 3, 0, 5]) == expected


def test_forward_steps_by_hand():
    def steps(order):
        scores = [[-1.0, -2.0, -4.0, -8.0]] * 7  # monotone, swap, right, left
        scorer, table = one_word_phrases(7, "hier-mslr-forward-fe", scores)
        return [values.tolist() for _, values in walk(scorer, table, order)]

    # 5 is left for 0: a swap if 0 to 4 are a block by and by. Then 0 is left for 3, and 3 for 1.
    there = [[0, 0, 0, 0], [0, -2, 0, 0], [-1, 0, 0, 0]]
    back = [[0, -2, 0, 0], [-1, 0, 0, 0], [0, 0, -4, 0], [0, 0, -4, 0]]
    assert steps([5, 0, 3, 1, 2, 4, 6]) == there + back
    # 6 is jumped to over 5, so that 3 is left to the right; but then 5 was no swap but left, and 0
    # not monotone but right: their values are put right
    assert steps([5, 0, 3, 6, 1, 2, 4])[:4] == there + [[1, 2, -4 - 4, -8]]


@pytest.mark.parametrize("type_", ["hier-mslr-backward-fe", "hier-mslr-bidirectional-fe"])
def test_hypotheses_with_the_same_state_are_those_with_the_same_future(type_):
    """All derivations of six words: coverage and state fix the features of whatever follows, and
    there are few states more than futures."""
    # all phrases of one kind, so that it does not matter which one waits
    scorer, table = one_word_phrases(6, type_, [[-1.0, -2.0, -4.0, -8.0] * 2] * 6)
    futures = {}  # for each coverage and state: options that follow, and features of these steps
    for order in permutations(range(6)):
        options, values = (), ()
        for step, here in reversed(list(walk(scorer, table, order))):
            options, values = (int(step.option[0]), *options), (tuple(here), *values)
            future = futures.setdefault((int(step.coverage[0, 0]), int(step.state[0])), {})
            assert future.setdefault(options, values) == values
    distinct = {(at[0], *sorted(future.items())) for at, future in futures.items()}
    assert len(distinct) <= len(futures) < 1.1 * len(distinct)


@pytest.mark.parametrize("type_", TYPES)
def test_all_types_obey_the_laws(type_):
    check_model(lambda: Lexicalised(type_), SENTENCE, options_for(type_))


@given(
    small_corpora,
    st.sampled_from(TYPES),
    st.lists(st.sampled_from("abcz"), min_size=1, max_size=5),
    st.sampled_from([1, 2, -1]),
    st.data(),
)
def test_exhaustive_search_finds_every_derivation_in_order(corpus, type_, words, limit, data):
    table, lm = make_system(corpus, type_)
    kind = ReorderingType.parse(type_)
    own = {name: data.draw(weights) for name in default_weights(type_)} | {"unknown": 1.0}
    expected = []
    for path in oracles.derivations(
        len(words), oracles.options_of(words, table, lm, own, 2), limit
    ):
        values, _ = oracles.features(path, table, lm, "")
        scores = [
            np.zeros(len(kind.columns)) if entry is None else table.reordering_of(entry)
            for _, _, entry, _ in path
        ]
        names = Lexicalised(type_).feature_names
        ordered = slow_features([option[:2] for option in path], scores, kind)
        values |= dict(zip(names, ordered, strict=True))
        expected.append(sum(own[name] * value for name, value in values.items()))
    expected.sort(reverse=True)
    search = SearchSettings(pop_limit=0, stack_size=0, options=2, distortion_limit=limit)
    decoder = Decoder(table, lm, [Linear(), Lexicalised(type_)], own, search)
    decoded = decoder.decode(Sentence(tuple(words)), n_best=len(expected) + 5)
    np.testing.assert_allclose(decoded.scores, expected, atol=1e-5)
    values = decoded.features() @ np.array([own[name] for name in decoder.feature_names])
    np.testing.assert_allclose(values, decoded.scores, atol=1e-5)
