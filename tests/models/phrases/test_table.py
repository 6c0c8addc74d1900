import numpy as np
import pytest
from hypothesis import given

from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.entries import FLOOR
from hyperbaton.models.phrases.moses_tables import (
    read_phrase_table,
    source_texts,
    target_texts,
    write_phrase_table,
    write_reordering_table,
)
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.phrases.sorted_trie import ROOT, child
from hyperbaton.models.phrases.table import PhraseTable
from tests.models.phrases.corpora import corpus_of, small_corpora
from tests.refusals import refusals, refused

child = kernel(child)  # compiled, as in use

MSD = "wbe-msd-bidirectional-fe"


@pytest.fixture
def table():
    return train_phrases(corpus_of([(list("abcab"), list("XYZXY"), [(i, i) for i in range(5)]),
                                    (list("ba"), list("QX"), [(0, 0), (1, 1)])]))  # fmt: skip


def same_arrays(a, b):
    assert a.source_vocabulary == b.source_vocabulary
    assert a.target_vocabulary == b.target_vocabulary
    assert a.reordering_type == b.reordering_type
    for name, values in vars(a).items():
        if isinstance(values, np.ndarray):
            np.testing.assert_array_equal(values, getattr(b, name))
            assert values.dtype == getattr(b, name).dtype


def entries_of_spans(table, words):
    """Start, end and entry for all that the trie holds of a sentence."""
    for start in range(len(words)):
        node = ROOT
        for end in range(start + 1, len(words) + 1):
            node = child(table.trie, node, words[end - 1])
            if node == EMPTY:
                break
            for entry in range(table.entry_begin[node], table.entry_begin[node + 1]):
                yield start, end, entry


def test_saving_and_loading_gives_the_same_arrays(table, tmp_path):
    table.save(tmp_path / "t")
    loaded = PhraseTable.load(tmp_path / "t")
    same_arrays(table, loaded)
    assert not loaded.lexical.flags.writeable


@given(small_corpora)
def test_the_trie_holds_all_entries_of_all_spans(sentences):
    table = train_phrases(corpus_of(sentences), PhraseSettings(max_length=3, reordering="none"))
    entries = list(source_texts(table))
    for words in [source for source, _, _ in sentences[:2]] + [["a", "unknown", "b"], []]:
        found = list(entries_of_spans(table, table.source_vocabulary.encode(words)))
        expected = [
            (start, end, row)
            for start in range(len(words))
            for end in range(start + 1, len(words) + 1)
            for row, text in enumerate(entries)
            if text.split() == words[start:end]
        ]
        assert found == expected


def test_entries_of_a_phrase_are_sorted_by_direct_probability(table):
    for node in range(len(table.entry_begin) - 1):
        scores = table.scores_of(slice(*table.entry_begin[node : node + 2]))[:, 2]
        assert np.all(np.diff(scores) <= 0)


def test_lines_are_as_moses_writes_them(tmp_path):
    table = train_phrases(corpus_of([(["hon", "o"], ["a", "book"], [(0, 1)])]))
    write_phrase_table(table, tmp_path / "p")
    write_reordering_table(table, tmp_path / "r")
    assert (tmp_path / "p").read_text().splitlines() == [
        "hon o ||| a book ||| 0.5 1 0.5 1 ||| 0-1 ||| 2 2 1 ||| |||",
        "hon o ||| book ||| 0.5 1 0.5 1 ||| 0-0 ||| 2 2 1 ||| |||",
        "hon ||| a book ||| 0.5 1 0.5 1 ||| 0-1 ||| 2 2 1 ||| |||",
        "hon ||| book ||| 0.5 1 0.5 1 ||| 0-0 ||| 2 2 1 ||| |||",
    ]
    first, *_, last = (tmp_path / "r").read_text().splitlines()
    assert first == "hon o ||| a book ||| 0.6 0.2 0.2 0.6 0.2 0.2"
    assert last == "hon ||| book ||| 0.2 0.2 0.6 0.2 0.2 0.6"


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_what_is_written_is_read(table, tmp_path, ending):
    phrases, reordering = tmp_path / f"p{ending}", tmp_path / f"r{ending}"
    write_phrase_table(table, phrases)
    write_reordering_table(table, reordering)
    again, n_too_long = read_phrase_table(phrases, reordering, MSD)
    assert n_too_long == 0

    def content(any_table):
        pairs = zip(source_texts(any_table), target_texts(any_table), strict=True)
        return {pair: row for row, pair in enumerate(pairs)}

    before, after = content(table), content(again)
    assert set(before) == set(after)
    rows = [before[pair] for pair in after]
    np.testing.assert_allclose(again.scores_of(), table.scores_of(rows), atol=1e-5)
    np.testing.assert_allclose(again.reordering_of(), table.reordering_of(rows), atol=1e-5)
    np.testing.assert_array_equal(again.inner_of(), table.inner_of(rows))
    np.testing.assert_array_equal(again.counts_of(), table.counts_of(rows))


def test_old_and_short_forms_are_read(write):
    path = write(
        "t", "a|||X||| 1 0.5 0 1\nb ||| Y ||| 1 1 1 1 ||| 0-0 ||| 2 2\n".replace("2 2", "")
    )
    table, _ = read_phrase_table(path)
    assert list(source_texts(table)) == ["a", "b"]
    np.testing.assert_allclose(table.scores_of(0), [0, np.log(0.5), FLOOR, 0])
    assert table.counts_of().tolist() == [[0, 0, 0]] * 2
    assert table.reordering_of().shape == (2, 0)


def test_phrases_that_are_too_long_are_left_out_and_counted(write):
    long = " ".join("abcdefghi")
    path = write("t", f"{long} ||| X ||| 1 1 1 1\na ||| X ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n")
    table, n_too_long = read_phrase_table(path)
    assert (len(table), n_too_long) == (1, 1)


@refusals(
    ("a X 1 1 1 1", "t:2: 'a X 1 1 1 1' is not an entry … expected f ||| e"),
    (" ||| X ||| 1 1 1 1", "t:2: … is not an entry"),
    ("a ||| X ||| 1 1 1", "t:2: '1 1 1' is not 4 numbers … expected 4 numbers"),
    ("a ||| X ||| 1 1 1 x", "t:2: '1 1 1 x' is not 4 numbers"),
    ("a ||| X ||| 1 1 1 1 ||| 0_0", "t:2: '0_0' is not a link"),
    ("a ||| X ||| 1 1 1 1 ||| 0-8", "t:2: … 0-8 … 1 source and 1 target words"),
    ("\udcff ||| X ||| 1 1 1 1", "t:2: byte 0xff"),
    ("a ||| X ||| 1 -1 1 1", "t:2: -1 is not a probability … expected 0 to 1"),
    ("a ||| X ||| inf 1 1 1", "t:2: inf is not a probability"),
    ("a ||| X ||| 1 1 7 1", "t:2: 7 is not a probability"),
    ("a ||| X ||| 1 1 1 nan", "t:2: nan is not a probability"),
    ("a b ||| X ||| 1 1 1 1 ||| 1-1", "t:2: the alignment 1-1 has a link outside its phrase pair"),
    ("a ||| X ||| 1 1 1 1 ||| 7-7", "t:2: the alignment 7-7 has a link outside its phrase pair"),
    ("a ||| X ||| 1 1 1 1 ||| ||| 1 1 -1", "t:2: -1 is not a count … a number from 0"),
    ("a ||| X ||| 1 1 1 1 ||| ||| nan 1 1", "t:2: nan is not a count"),
    ("a ||| X ||| 1 1 1 1 ||| ||| 1 inf 1", "t:2: inf is not a count"),
    ("a ||| X ||| 1 1 1 1 ||| ||| 1 1e16 1", "t:2: 1e+16 is not a count"),
    ("<s> ||| X ||| 1 1 1 1", "t:2: the word <s> is reserved"),
    ("a ||| <unk> ||| 1 1 1 1", "t:2: the word <unk> is reserved"),
    ("z  ||| X ||| 1 1 1 1", "t:2: the entry z ||| X is listed twice"),
)
def test_broken_lines_are_named(write, line):
    text = f"z ||| X ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n{line}\n"
    read_phrase_table(write("t", text.encode(errors="surrogateescape")))


def test_large_and_fractional_counts_were_wrapped_and_cut(write):
    path = write("t", "a ||| X ||| 1 1 1 1 ||| 0-0 ||| 3e9 2.5 0.25\n")
    table, _ = read_phrase_table(path)
    assert table.counts_of().tolist() == [[3e9, 2.5, 0.25]]


def test_a_table_with_large_counts_was_refused_when_it_was_loaded(write, tmp_path):
    """Function words of some ten million sentences have them."""
    table, _ = read_phrase_table(write("t", "a ||| X ||| 1 1 1 1 ||| 0-0 ||| 3e7 1e15 3e7\n"))
    table.save(tmp_path / "table")
    assert PhraseTable.load(tmp_path / "table").counts_of()[0] == pytest.approx([3e7, 1e15, 3e7])


@refusals(*((count, "frequency_rows") for count in (-1, 2e15, np.inf, np.nan)))
def test_counts_that_are_none_are_refused(write, tmp_path, count):
    table, _ = read_phrase_table(write("t", "a ||| X ||| 1 1 1 1 ||| 0-0 ||| 3 2 1\n"))
    table.save(tmp_path / "table")
    rows = np.load(tmp_path / "table/frequency_rows.npy")
    rows[0, 1] = count
    np.save(tmp_path / "table/frequency_rows.npy", rows)
    PhraseTable.load(tmp_path / "table")


PAIR = "a b ||| X ||| 1 1 1 1\n"
SCORES = "a b ||| X ||| 1 0 0 1 0 0\n"


@refusals(
    (f"{PAIR}a ||| X ||| 1 1 1 1\n{PAIR}", "", "p:3: the entry a b ||| X is listed twice"),
    (PAIR, f"{SCORES}c ||| X ||| 0 0 0 0 0 0\n{SCORES}", "r:3: the phrase pair a b ||| X"),
    (f"{PAIR}b ||| X ||| 1 1 1 1\n", f"{SCORES}c ||| X ||| x\n", "r: lacks 1 phrase pairs"),
    (PAIR, "a b ||| X ||| 1 0\n", "r:1: '1 0' is not 6 numbers"),
    ("", "", "contains no phrase pairs"),
)
def test_tables_with_the_wrong_pairs(write, phrases, reordering):
    other = (write("r", reordering), MSD) if reordering else ()
    read_phrase_table(write("p", phrases), *other)


def test_blanks_between_words_do_not_matter(write):
    phrases = write("p", "a  b ||| X ||| 1 1 1 1\na b ||| Y \t Z ||| 1 1 1 1\n")
    reordering = write("r", "a b ||| X ||| 1 0 0 1 0 0\na b ||| Y Z ||| 0 1 0 0 1 0\n")
    table, _ = read_phrase_table(phrases, reordering, MSD)
    assert list(source_texts(table)) == ["a b", "a b"]
    assert target_texts(table) == ["X", "Y Z"]
    assert np.exp(table.reordering_of()[:, 0]).round(6).tolist() == [1, 0]


def test_a_table_without_reordering_scores_cannot_write_them(tmp_path):
    corpus = corpus_of([(["a"], ["X"], [(0, 0)])])
    table = train_phrases(corpus, PhraseSettings(reordering="none"))
    refused("no reordering scores", lambda: write_reordering_table(table, tmp_path / "r"))
