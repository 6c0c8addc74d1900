import pytest
from hypothesis import given

from models.distortion.dpr.samples import collect_samples, orientations
from models.errors import SettingError
from tests.models.phrases.corpora import corpus_of, small_corpora
from tests.models.phrases.oracles import consistent_blocks


def distance_by_looking(links, f0, e0):
    """d of a phrase pair that begins with source word f0 and target word e0, word by word."""
    linked_sources = {f for f, _ in links}
    before = e0 - 1
    while before >= 0 and not any(e == before for _, e in links):
        before -= 1
    if before < 0:
        return 0 - f0
    end = max(f for f, e in links if e == before) + 1
    while end < f0 and end not in linked_sources:
        end += 1
    return end - f0


def rows_of(samples, corpus):
    sources, targets = corpus.source.words.offsets, corpus.target.words.offsets
    return [
        (
            int(sentence),
            int(samples.places.source_start[n] - sources[sentence]),
            int(samples.places.source_end[n] - sources[sentence]),
            int(samples.places.target_start[n] - targets[sentence]),
            int(samples.places.target_end[n] - targets[sentence]),
            int(samples.distance[n]),
        )
        for n, sentence in enumerate(samples.sentence)
    ]


def test_the_example_of_the_module():
    source, target = ["kare", "wa", "hon", "o", "katta"], ["he", "bought", "book"]
    corpus = corpus_of([(source, target, [(0, 0), (4, 1), (2, 2)])])
    rows = rows_of(collect_samples(corpus), corpus)
    assert (0, 0, 1, 0, 1, 0) in rows  # kare: the sentence begins with it
    assert (0, 0, 2, 0, 1, 0) in rows  # kare wa
    assert (0, 4, 5, 1, 2, -2) in rows  # katta, after kare wa
    assert (0, 3, 5, 1, 2, -1) in rows  # o katta
    assert (0, 2, 3, 2, 3, 3) in rows  # hon, after katta
    assert (0, 1, 3, 2, 3, 4) in rows  # wa hon: the words before it count from its own start
    assert (0, 2, 5, 1, 3, 0) in rows  # hon o katta, after kare wa


@given(small_corpora)
def test_all_consistent_pairs_with_the_distances_that_one_reads_off(examples):
    corpus = corpus_of(examples)
    expected = []
    for sentence, (source, target, links) in enumerate(examples):
        for f0, f1, e0, e1 in consistent_blocks(len(source), len(target), set(links), 8):
            distance = distance_by_looking(links, f0, e0)
            expected.append((sentence, f0, f1 + 1, e0, e1 + 1, distance))
    samples = collect_samples(corpus, threads=1)
    assert sorted(rows_of(samples, corpus)) == sorted(expected)
    assert len(samples) == len(expected)


def test_pairs_without_links_have_no_examples():
    assert len(collect_samples(corpus_of([(["a"], ["A"], [])]))) == 0


def test_three_and_five_classes_as_in_figure_4():
    distances = [-40, -6, -5, -4, -1, 0, 1, 4, 5, 6, 40]
    assert orientations(3).of(distances).tolist() == [0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2]
    assert orientations(5).of(distances).tolist() == [0, 0, 0, 1, 1, 2, 3, 3, 4, 4, 4]
    assert orientations(3).names == ("d<0", "d=0", "d>0")
    assert [len(orientations(n)) for n in (3, 5)] == [3, 5]


def test_other_numbers_of_classes_are_refused():
    with pytest.raises(SettingError, match="no setup with 4 orientation classes\n  possible: 3 or"):
        orientations(4)
