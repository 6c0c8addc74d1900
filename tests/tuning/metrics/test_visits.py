import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import BadLine
from hyperbaton.tuning.metrics.visits import (
    Visits,
    complete,
    read_visits,
    visits_of_links,
    visits_of_sequences,
)
from tests.mapped_arrays import ragged_links
from tests.oracles import visit_sequence
from tests.refusals import refusals, refused

links = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12)


def visits_by_looking(sentence):
    """Goes through the target words from left to right, and notes source words not seen before."""
    visits = []
    for target in range(8):
        for source in range(8):
            if (source, target) in sentence and source not in visits:
                visits.append(source)
    return visits


def complete_by_inserting(visits, n_source):
    """Puts the missing words in one by one, from left to right."""
    order = list(visits)
    for word in range(n_source):
        if word not in order:
            order.insert(order.index(word - 1) + 1 if word else 0, word)
    return order


def test_several_target_words_count_where_the_first_stands():
    assert visit_sequence([(0, 3), (0, 1), (1, 2)]) == [0, 1]
    assert visit_sequence([(0, 3), (1, 2)]) == [1, 0]


def test_several_source_words_of_one_target_word_go_from_left_to_right():
    assert visit_sequence([(2, 0), (0, 0), (1, 1)]) == [0, 2, 1]


def test_unaligned_words_are_not_visited():
    # kare wa hon o katta / he bought a book
    assert visit_sequence([(0, 0), (4, 1), (2, 3)]) == [0, 4, 2]
    assert visit_sequence([]) == []


@given(st.lists(links, max_size=5))
def test_the_whole_corpus_at_once_agrees_with_looking(corpus):
    visits = visits_of_links(ragged_links(corpus))
    assert list(visits) == [visits_by_looking(sentence) for sentence in corpus]
    assert list(visits) == [visit_sequence(sentence) for sentence in corpus]


def test_words_not_visited_follow_the_word_before_them():
    visits = visits_of_sequences([[3, 1], [0, 4, 2], [], [], [1]])
    permutations = complete(visits, np.array([5, 5, 3, 0, 4]))
    assert [row.tolist() for row in permutations] == [
        [0, 3, 4, 1, 2],  # 0 has none before it and begins
        [0, 1, 4, 2, 3],
        [0, 1, 2],  # nothing aligned: from left to right
        [],
        [0, 1, 2, 3],
    ]


@given(st.lists(st.tuples(links, st.integers(0, 3)), max_size=5))
def test_completing_agrees_with_inserting(corpus):
    visits = visits_of_links(ragged_links([sentence for sentence, _ in corpus]))
    n_source = np.array([max(row, default=-1) + 1 + more for row, (_, more) in
                         zip(visits, corpus, strict=True)], dtype=np.int64)  # fmt: skip
    for row, sequence, n in zip(complete(visits, n_source), visits, n_source, strict=True):
        assert row.tolist() == complete_by_inserting(sequence, n)


def test_visits_are_a_sequence():
    visits = visits_of_sequences([[1, 0], [], [2]], [2, 1, 3])
    assert len(visits) == 3
    assert visits[0] == [1, 0]
    assert visits[-1] == [2]
    assert list(visits[1:]) == [[], [2]]
    assert visits[1:].n_source.tolist() == [1, 3]
    assert visits_of_sequences(visits) is visits
    assert visits_of_sequences([[0]])[:1].n_source is None
    with pytest.raises(IndexError):
        visits[3]


def test_pharaoh_files_and_json_lines_say_the_same(write):
    pharaoh = write("a.align", "0-0 2-1 1-2\n\n1-0 0-1 1-2\n")
    lines = write(
        "a.jsonl",
        '{"translation": "a b c", "alignment": [[0, 0], [2, 1], [1, 2]]}\n'
        '{"translation": "", "alignment": []}\n'
        ' {"alignment": [[1, 0], [0, 1], [1, 2]], "score": -1.5}\n',
    )
    for path in (pharaoh, lines):
        visits = read_visits(path)
        assert list(visits) == [[0, 2, 1], [], [1, 0]]
        assert visits.n_source is None
        assert read_visits(path, [3, 1, 2]).n_source.tolist() == [3, 1, 2]


@refusals(
    ("0-x", "x.align:2: '0-x' is not a link … 0-0 1-2"),
    ("0-70000", "x.align:2: … 70000 … at most 65535 words"),
    ("3-0", "x.align:2: there is no source word 3 … 2 words, counted from 0"),
    ("\udcff", "x.align:2: byte 0xff at column 1 is not UTF-8"),
    ('{"alignment": [}', "x.align:2: not JSON: Expecting value at column 16 … {"),
    ('{"translation": "a"}', 'x.align:2: no list "alignment" … {"translation": "the'),
    ('{"alignment": "0-0"}', 'x.align:2: no list "alignment"'),
    ('{"alignment": [[0]]}', "x.align:2: [0] is not a link … pairs of positions, [source"),
    ('{"alignment": [[0, -1]]}', "x.align:2: [0, -1] is not a link"),
    ('{"alignment": [[0, true]]}', "x.align:2: [0, true] is not a link"),
    ('{"alignment": ["0-0"]}', 'x.align:2: "0-0" is not a link'),
    ('{"translation": "a b", "alignment": [[0, 2]]}', "x.align:2: … target word 2 … has 2 words"),
    error=BadLine,
)
def test_bad_lines_are_named_with_file_and_line(write, line):
    text = f"0-0\n{line}\n".encode(errors="surrogateescape")
    read_visits(write("x.align", text), [1, 2])


@pytest.mark.parametrize("n_source", [[1], [1, 1, 1]])
def test_every_source_sentence_needs_a_line(write, n_source):
    path = write("x.align", "0-0\n0-0\n")
    facts = f"{path}: has alignments of 2 sentences … {len(n_source)} source sentences"
    refused(facts, lambda: read_visits(path, n_source))


@refusals(
    ([[0], [1, 0, 1]], None, "visits of sentence 2: source word 1 is visited twice … a visit"),
    ([[0, -1]], None, "visits of sentence 1: there is no source word -1 … positions are 0 to"),
    ([[0], [2]], [1, 2], "sentence 2: there is no source word 2 … positions are 0 to 1"),
    ([[0]], [1, 2], "1 visit sequences for 2 source sentences … one per sentence"),
)
def test_what_is_not_a_visit_sequence_is_refused(sequences, n_source):
    visits_of_sequences(sequences, n_source)


def test_the_same_word_in_two_sentences_is_not_visited_twice():
    assert list(Visits(Ragged(np.array([4, 4]), np.array([0, 1, 2])))) == [[4], [4]]
