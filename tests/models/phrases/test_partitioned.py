"""Phrase tables made in parts: the same bytes, whatever memory allows, and resumed when killed."""

import errno
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.files import save_corpus
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.phrases import building, lexical, partitions
from hyperbaton.models.phrases.building import WORK_FOLDER, train_phrases
from hyperbaton.models.phrases.extraction import extract
from hyperbaton.models.phrases.numbering import number_phrases, number_rows
from hyperbaton.models.phrases.partitions import divide, phrase_keys
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.phrases.sorted_trie import sorted_order
from hyperbaton.models.phrases.steps import PhraseSteps
from hyperbaton.models.phrases.table import PhraseTable
from tests.far_threads import FarThreads
from tests.models.phrases.corpora import corpus_of, small_corpora
from tests.refusals import refusals
from tests.strategies import examples

TINY = 1  # bytes: every two first words are a part
ALL_KINDS = [
    PhraseSettings(),
    PhraseSettings(max_length=8, reordering="hier-mslr-bidirectional-fe", smoothing="kneser-ney"),
    PhraseSettings(reordering="phrase-leftright-backward-f", smoothing="good-turing", top=2),
    PhraseSettings(reordering="wbe-monotonicity-forward-f", significance="0.4"),
    PhraseSettings(reordering="none", min_count=2, max_length=2),
    PhraseSettings(smoothing="kneser-ney", significance="a-e", top=1),
]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(partitions, "SHARD_PAIRS", 2)
    monkeypatch.setattr(lexical, "COUNTED_AT_ONCE", 3)


def files_of(corpus, given_settings, **options):
    """The files of a table, or the error that there is nothing in it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            train_phrases(corpus, given_settings, folder=Path(folder), **options)
        except DataError as error:
            return str(error)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def files_from_elsewhere(corpus, given_settings, memory):
    with tempfile.TemporaryDirectory() as folder, FarThreads(2) as workers:
        home, made = Path(folder) / "corpus", Path(folder) / "made"
        save_corpus(corpus, [], home)
        try:
            train_phrases(home, given_settings, memory=memory, folder=made, workers=workers)
        except DataError as error:
            return str(error)
        return {path.name: path.read_bytes() for path in made.iterdir()}


@pytest.mark.parametrize("kind", ALL_KINDS, ids=str)
@given(sentences=small_corpora)
@examples(0.2)
def test_tables_do_not_depend_on_memory_or_on_who_makes_their_parts(kind, sentences):
    corpus = corpus_of(sentences)
    whole = files_of(corpus, kind, memory=0, threads=1)
    for memory, threads in ((TINY, 2), (20_000, 3)):
        assert files_of(corpus, kind, memory=memory, threads=threads) == whole
        assert files_from_elsewhere(corpus, kind, memory) == whole


SENTENCES = [
    (list("abcab"), list("XYZXY"), [(i, i) for i in range(5)]),
    (list("ba"), list("QX"), [(0, 0), (1, 1)]),
    (list("acca"), list("YYZ"), [(0, 1), (1, 0), (3, 2)]),
    (list("cab"), list("XZY"), [(0, 2), (2, 0)]),
    (list("bca"), list("ZX"), [(0, 0), (2, 1)]),
]


def test_a_table_in_files_is_the_one_in_memory(tmp_path):
    corpus = corpus_of(SENTENCES)
    table, mapped = train_phrases(corpus), train_phrases(corpus, memory=TINY, folder=tmp_path)
    for name, values in vars(table).items():
        if isinstance(values, np.ndarray):
            np.testing.assert_array_equal(values, getattr(mapped, name), strict=True)
    assert table.n_occurrences == mapped.n_occurrences == len(extract(corpus))
    assert not (tmp_path / WORK_FOLDER).exists()


@pytest.mark.parametrize(
    ("step", "n"), [("_extract", 1), ("_collect", 2), ("_number_targets", 3), ("_score", 4)]
)
def test_a_killed_run_goes_on_after_the_last_finished_part(tmp_path, monkeypatch, step, n):
    corpus = corpus_of(SENTENCES)
    work, done = getattr(PhraseSteps, step), []

    def stopped_early(self, *arguments):
        if len(done) == n:
            raise KeyboardInterrupt
        result = work(self, *arguments)
        done.append(arguments[-1])
        return result

    monkeypatch.setattr(PhraseSteps, step, stopped_early)
    options = {"memory": TINY, "folder": tmp_path, "threads": 1}
    with pytest.raises(KeyboardInterrupt):
        train_phrases(corpus, **options)
    assert len(list((tmp_path / WORK_FOLDER).iterdir())) > n
    again = []
    monkeypatch.setattr(
        PhraseSteps,
        step,
        lambda self, *arguments: (again.append(arguments[-1]), work(self, *arguments))[1],
    )
    resumed = train_phrases(corpus, **options)
    assert not set(done) & set(again)
    assert again[0] == n
    expected = train_phrases(corpus)
    np.testing.assert_array_equal(resumed.scores_of(), expected.scores_of())
    np.testing.assert_array_equal(resumed.target, expected.target)


def test_parts_that_workers_brought_home_are_not_made_again(tmp_path, monkeypatch):
    corpus, home, made = corpus_of(SENTENCES), tmp_path / "corpus", tmp_path / "made"
    save_corpus(corpus, [], home)
    expected = train_phrases(corpus)
    score, asked = PhraseSteps._score, []

    def stopped_early(self, part):
        asked.append(part)
        if part == 2:
            raise KeyboardInterrupt
        return score(self, part)

    monkeypatch.setattr(PhraseSteps, "_score", stopped_early)
    with FarThreads(1) as workers, pytest.raises(KeyboardInterrupt):
        train_phrases(home, memory=TINY, folder=made, workers=workers)
    monkeypatch.setattr(PhraseSteps, "_collect", lambda *_: 1 / 0)
    monkeypatch.setattr(
        PhraseSteps, "_score", lambda *what: (asked.append(what[1]), score(*what))[1]
    )
    first, asked[:] = set(asked) - {2}, []
    with FarThreads(3) as workers:  # their number does not change how the work is divided
        resumed = train_phrases(home, memory=TINY, folder=made, workers=workers)
    assert 2 in asked
    assert not first & set(asked)
    np.testing.assert_array_equal(resumed.scores_of(), expected.scores_of())


def test_work_that_was_divided_otherwise_is_not_taken_over(tmp_path, monkeypatch):
    corpus = corpus_of(SENTENCES)
    with monkeypatch.context() as patch:
        patch.setattr(building.PhraseTraining, "_joined", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            train_phrases(corpus, memory=TINY, folder=tmp_path)
    table = train_phrases(corpus, memory=20_000, folder=tmp_path)
    np.testing.assert_array_equal(table.scores_of(), train_phrases(corpus).scores_of())


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    def save(path, *_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("hyperbaton.foundation.work.shelf.np.save", save)
    with pytest.raises(DataError, match=r"work/lexical-0.part: cannot be written: No space left"):
        train_phrases(corpus_of(SENTENCES), memory=TINY, folder=tmp_path, threads=1)


def test_progress_counts_the_parts(tmp_path):
    heard = []
    train_phrases(
        corpus_of(SENTENCES),
        memory=TINY,
        folder=tmp_path,
        progress=lambda *what: heard.append(what),
    )
    works = list(dict.fromkeys(what.partition(",")[0] for what, _ in heard))
    assert works == [
        "extracting phrase pairs",
        "collecting phrase pairs",
        "counting target phrases",
        "scoring phrase pairs",
    ]
    # three shards, and how words are translated
    assert heard[:5] == [("extracting phrase pairs, parts of 4", n) for n in range(5)]


def test_parts_are_equally_heavy_and_divide_a_heavy_first_word():
    # two of three phrases begin with a, half of them with another word behind it
    sentences = [(["a", f"b{n}"], ["X", f"Y{n}"], [(0, 0), (1, 1)]) for n in range(1000)]
    corpus = corpus_of(sentences)
    division = divide(corpus, 7, 100_000, 2)
    assert not division.fits
    found = extract(corpus)
    keys = phrase_keys(corpus.source.words.values, found.source_at, found.source_length)
    sizes = np.bincount(np.searchsorted(division.source, keys, side="right"))
    assert division.n_parts > 5
    # the word a alone is a third of all occurrences, and cannot be divided
    assert sorted(sizes)[-1] == pytest.approx(len(found) / 3, rel=0.2)
    assert sorted(sizes)[-2] < 2 * len(found) / division.n_parts
    assert divide(corpus, 7, 0, 2).fits
    assert divide(corpus, 7, 10**9, 2).n_parts == 1


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=60), st.randoms())
def test_phrases_are_numbered_and_sorted_by_their_words(places, random):
    words = np.array([random.randint(3, 5) for _ in range(40)], np.int32)
    at, length = np.array(places, np.int32).reshape(-1, 2).T.copy()
    numbers, first = number_phrases(words, at, length)
    texts = [tuple(words[a : a + n].tolist()) for a, n in places]
    known = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    assert numbers.tolist() == [known[text] for text in texts]
    assert [texts[one] for one in first] == list(known)
    order = sorted_order(words, at[first], length[first])
    assert [texts[one] for one in first[order]] == sorted(known)


def test_many_phrases_outgrow_the_first_table():
    words = np.arange(5000, dtype=np.int32) // 2
    at = np.arange(4990, dtype=np.int32)
    length = np.full(4990, 3, np.int32)
    numbers, first = number_phrases(words, np.tile(at, 2), np.tile(length, 2))
    assert numbers.tolist() == [*range(4990)] * 2
    assert first.tolist() == list(range(4990))


def test_large_vocabularies_need_more_keys():
    # 31 bits a word: two in a key
    words = np.array([2**30, 5, 2**30 - 1, 5, 5, 2**30, 5, 4], np.int32)
    at, length = np.array([0, 1, 3, 4], np.int32), np.array([4, 3, 2, 4], np.int32)
    texts = [words[a : a + n].tolist() for a, n in zip(at, length, strict=True)]
    order = sorted_order(words, at, length)
    assert [texts[one] for one in order] == sorted(texts)


def test_the_memory_of_a_table_in_memory_is_not_limited():
    table = train_phrases(corpus_of(SENTENCES), replace(PhraseSettings(), top=1), memory=TINY)
    assert isinstance(table, PhraseTable)


@refusals(
    ("building", "the corpus has 17 words … at most 16 per side"),
    ("sections", "phrase pairs are too many … at most 16 … drop pairs that were seen once"),
)
def test_what_32_bits_cannot_number_is_refused(monkeypatch, module):
    monkeypatch.setattr(f"hyperbaton.models.phrases.{module}.MOST_NUMBERED", 16)
    train_phrases(corpus_of(SENTENCES))


@given(st.lists(st.tuples(*[st.sampled_from([-1.5, 0.0, 2.0])] * 3), min_size=1))
def test_rows_are_numbered_as_numpy_does(rows):
    values = np.array(rows, np.float32)
    expected, inverse = np.unique(values, axis=0, return_inverse=True)
    numbers, distinct = number_rows(values)
    np.testing.assert_array_equal(distinct, expected)
    np.testing.assert_array_equal(numbers, inverse.reshape(-1))
