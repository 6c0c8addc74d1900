from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.dpr.samples import collect_samples, orientations
from tests.models.phrases.corpora import corpus_of, small_corpora
from tests.models.phrases.oracles import consistent_blocks
from tests.refusals import refusals


def distance_by_looking(n_source, links, f0, f1, e0):
    """d of a phrase pair of the source words f0 to f1 that begins with target word e0, word by
    word: the previous phrase takes the next word along if nobody else has it."""
    linked_sources = {f for f, _ in links}
    before = e0 - 1
    while before >= 0 and not any(e == before for _, e in links):
        before -= 1
    if before < 0:
        return 0 - f0
    end = max(f for f, e in links if e == before) + 1
    while end < n_source and end not in linked_sources and not f0 <= end <= f1:
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
    source, target = ["kare", "wa", "hon", "o", "katta", "."], ["he", "bought", "book"]
    corpus = corpus_of([(source, target, [(0, 0), (4, 1), (2, 2)])])
    rows = rows_of(collect_samples(corpus), corpus)
    assert (0, 0, 1, 0, 1, 0) in rows  # kare: the sentence begins with it
    assert (0, 0, 2, 0, 1, 0) in rows  # kare wa
    assert (0, 4, 5, 1, 2, -2) in rows  # katta, after kare wa
    assert (0, 3, 5, 1, 2, -1) in rows  # o katta
    assert (0, 2, 3, 2, 3, 4) in rows  # hon, after katta and the full stop
    assert (0, 1, 3, 2, 3, 5) in rows  # wa hon: the words before it count from its own start
    assert (0, 2, 5, 1, 3, 0) in rows  # hon o katta, after kare wa


def test_words_behind_the_previous_phrase_were_left_out_of_moves_back():
    corpus = corpus_of([(list("abcx"), list("CAB"), [(2, 0), (0, 1), (1, 2)]), (["d"], ["D"], [])])
    rows = rows_of(collect_samples(corpus), corpus)
    assert (0, 0, 1, 1, 2, 4) in rows  # a, after c x


@st.composite
def derivations(draw):
    """Source phrases in the order of translation, each with links. Its words without links are at
    its end, and its last target word is linked to its last linked source word."""
    spans, links, n_source, n_target = [], [], 0, 0
    for _ in range(draw(st.integers(1, 5))):
        n_linked, n_free = draw(st.integers(1, 2)), draw(st.integers(0, 2))
        spans.append((n_source, n_linked, n_free))
        n_source += n_linked + n_free
    order = draw(st.permutations(spans))
    places = []
    for start, n_linked, n_free in order:
        n_target += draw(st.integers(0, 1))  # a word that is linked to nothing
        links += [(start + k, n_target + k) for k in range(n_linked)]
        places.append((start, start + n_linked + n_free, n_target))
        n_target += n_linked
    return ([f"f{k}" for k in range(n_source)], [f"e{k}" for k in range(n_target)], links), places


@given(derivations())
def test_the_distance_is_that_of_the_decoder_along_the_alignment(derivation):
    """d = previous end − start, of the phrases that a decoder takes one after the other."""
    pair, places = derivation
    corpus = corpus_of([pair])
    samples = collect_samples(corpus, threads=1)
    found = {row[1:4]: row[5] for row in rows_of(samples, corpus)}
    previous_end = 0
    for start, end, target_start in places:
        assert found[start, end, target_start] == previous_end - start
        previous_end = end


@given(small_corpora)
def test_all_consistent_pairs_with_the_distances_that_one_reads_off(examples):
    corpus = corpus_of(examples)
    expected = []
    for sentence, (source, target, links) in enumerate(examples):
        for f0, f1, e0, e1 in consistent_blocks(len(source), len(target), set(links), 8):
            distance = distance_by_looking(len(source), links, f0, f1, e0)
            expected.append((sentence, f0, f1 + 1, e0, e1 + 1, distance))
    samples = collect_samples(corpus, threads=1)
    assert sorted(rows_of(samples, corpus)) == sorted(expected)
    assert len(samples) == len(expected)


def corners_of(samples, corpus):
    return {
        row[1:5]: orientations(3, "msd").names[corner]
        for row, corner in zip(
            rows_of(samples, corpus), orientations(3, "msd").label(samples), strict=True
        )
    }


def test_the_corners_of_alrajeh_and_niranjan_table_1():
    source, target = [f"f{k}" for k in range(1, 7)], [f"e{k}" for k in range(1, 6)]
    links = [(0, 0), (1, 0), (2, 4), (4, 3), (5, 1), (5, 2)]
    corpus = corpus_of([(source, target, links)])
    found = corners_of(collect_samples(corpus), corpus)
    assert found[0, 2, 0, 1] == "monotone"  # f1 f2 ↔ e1
    assert found[2, 5, 3, 5] == "swap"  # f3 f4 f5 ↔ e4 e5
    assert found[5, 6, 1, 3] == "discontinuous"  # f6 ↔ e2 e3


@given(small_corpora)
def test_corners_are_read_off_the_links_beside_the_first_target_word(examples):
    corpus = corpus_of(examples)
    samples = collect_samples(corpus, threads=1)
    found = orientations(3, "msd").label(samples).tolist()
    for row, corner in zip(rows_of(samples, corpus), found, strict=True):
        sentence, f0, f1, e0, _, _ = row
        links = {*examples[sentence][2], (-1, -1)}  # a sentence begins after its beginning
        follows, swaps = (f0 - 1, e0 - 1) in links, (f1, e0 - 1) in links
        assert corner == (2 if follows == swaps else 0 if follows else 1)


@given(small_corpora)
def test_next_corners_are_read_off_the_links_beside_the_last_target_word(examples):
    corpus = corpus_of(examples)
    samples = collect_samples(corpus, threads=1)
    for row, corner in zip(rows_of(samples, corpus), samples.next_corner, strict=True):
        sentence, f0, f1, _, e1, _ = row
        source, target, links = examples[sentence]
        linked = {*links, (len(source), len(target))}  # a sentence ends before its end
        follows, swaps = (f1, e1) in linked, (f0 - 1, e1) in linked
        assert corner == (2 if follows == swaps else 0 if follows else 1)


def test_a_long_jump_back_is_no_swap():
    links = [(0, 1), (1, 3), (2, 0), (3, 2)]
    corpus = corpus_of([(list("abcd"), list("CADB"), links)])
    samples = collect_samples(corpus)
    found = corners_of(samples, corpus)
    assert found[2, 3, 0, 1] == "discontinuous"  # c, the first
    assert found[0, 1, 1, 2] == "discontinuous"  # a, two words back: d = 3
    assert found[1, 2, 3, 4] == "discontinuous"  # b, after d


def test_pairs_without_links_have_no_examples():
    assert len(collect_samples(corpus_of([(["a"], ["A"], [])]))) == 0


def test_three_and_five_classes_as_in_figure_4():
    distances = [-40, -6, -5, -4, -1, 0, 1, 4, 5, 6, 40]
    assert orientations(3).of(distances).tolist() == [0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2]
    assert orientations(5).of(distances).tolist() == [0, 0, 0, 1, 1, 2, 3, 3, 4, 4, 4]
    assert orientations(3).names == ("d<0", "d=0", "d>0")
    assert [len(orientations(n)) for n in (3, 5)] == [3, 5]


@refusals(
    (4, "distance", "4 orientation classes of distance … expected 3 or"),
    (5, "msd", "5 orientation classes of msd … expected 3"),
    (3, "mds", "'mds' … did you mean msd"),
    error=SettingError,
)
def test_other_numbers_of_classes_are_refused(n_classes, moves):
    orientations(n_classes, moves)
