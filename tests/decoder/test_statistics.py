"""What the search counts, against counting by hand and by other means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.statistics import SearchStatistics, statistics_lines
from hyperbaton.models.distortion.linear import Linear
from tests.decoder import oracles
from tests.decoder.systems import hand_translator, systems


def test_one_word_by_hand():
    decoded = hand_translator().decode("nageta")
    # one span with one option, a copy; two groups: nothing covered, all covered; one edge between
    # them with one cell. The language model is asked for <unk> and for the end.
    assert decoded.statistics._replace(seconds=0.0) == SearchStatistics(
        sentences=1, words=1, options=1, spans=1, groups=2, edges=1, opened=1, scored=1, pops=1,
        recombined=0, hypotheses=2, pruned=0, lm_words=2, largest_stack=1,
    )  # fmt: skip
    assert decoded.statistics.seconds > 0
    assert decoded.record.stack_sizes == [1, 1]


@given(systems(max_words=5), st.sampled_from([0, 1, -1]), st.sampled_from([0, 7, 50]))
def test_counts_belong_together(system, limit, pops):
    table, lm, _, weights, words = system
    search = SearchSettings(pop_limit=pops, stack_size=pops // 2, options=3, distortion_limit=limit)
    decoder = Decoder(table, lm, [Linear()], weights, search)
    decoded = decoder.decode(Sentence(tuple(words)), n_best=2)
    count = decoded.statistics
    found = oracles.options_of(words, table, lm, weights, 3)
    assert (count.words, count.options) == (len(words), len(found))
    assert count.spans == len({(start, end) for start, end, *_ in found})
    assert count.pops == count.hypotheses - 1 + count.recombined
    assert count.edges <= count.scored >= count.pops
    assert count.hypotheses - count.pruned == sum(decoded.record.stack_sizes)
    assert count.largest_stack == max(decoded.record.stack_sizes)
    if pops:
        assert count.pops <= pops * len(words)
        assert count.largest_stack <= max(pops // 2, 1)
    else:
        assert count.scored == count.pops
        assert count.pruned == 0


def test_counts_add_up():
    translator, texts = hand_translator(), ("kare wa hon o katta", "hon", "")
    parts = [translator.decode(text).statistics for text in texts]
    total = SearchStatistics()
    for part in parts:
        total = total.add(part)
    assert total.sentences == 3
    assert total.words == 6
    assert total.pops == sum(part.pops for part in parts)
    assert total.largest_stack == max(part.largest_stack for part in parts)
    assert total.seconds == pytest.approx(sum(part.seconds for part in parts))
    assert "seconds" not in total.counts()


def test_the_table_for_people():
    count = SearchStatistics(
        sentences=4, words=20, options=1000, pops=2500, largest_stack=77, seconds=0.05
    )
    lines = statistics_lines(count)
    assert lines[0].split() == ["search", "in", "all", "per", "sentence", "per", "word"]
    cells = {line[:14].strip(): line[14:].split() for line in lines}
    assert cells["pops"] == ["2,500", "625.0", "125.0"]
    assert cells["largest stack"] == ["77"]
    assert cells["milliseconds"] == ["50.0", "12.50", "2.500"]
    assert len({len(line) for line in lines if line[14:].count(".") == 2}) == 1
