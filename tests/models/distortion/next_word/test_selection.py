from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.models.distortion.next_word import selection
from hyperbaton.models.distortion.next_word.events import find_events
from hyperbaton.models.distortion.next_word.selection import select_features
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from hyperbaton.models.distortion.next_word.templates import describe
from tests.models.distortion.next_word import oracles
from tests.models.distortion.next_word.corpora import sentences_of, tagged_corpora, tagged_corpus


@given(tagged_corpora, st.integers(1, 5), st.integers(1, 3))
def test_features_that_were_counted_often_enough(examples, min_count, chunk):
    corpus = tagged_corpus(examples)
    events = find_events(corpus)
    symbols = SymbolCoder.of(corpus).corpus(corpus)
    counts = oracles.count_features(sentences_of(corpus, events))
    expected = {feature for feature, count in counts.items() if count >= min_count}
    keys = select_features(symbols, events, min_count)
    assert {describe(key) for key in keys.tolist()} == expected
    assert len(keys) == len(expected)
    falling = [counts[describe(key)] for key in keys.tolist()]
    assert falling == sorted(falling, reverse=True)
    usual, selection.SENTENCES_AT_ONCE = selection.SENTENCES_AT_ONCE, chunk
    try:
        assert select_features(symbols, events, min_count, threads=3).tolist() == keys.tolist()
    finally:
        selection.SENTENCES_AT_ONCE = usual
