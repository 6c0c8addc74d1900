import json
import shutil

import numpy as np
import pytest

from models.errors import DataError
from models.language_model import LanguageModel, estimate
from tests.models.language_model.small_texts import encoded, skewed_text

FILES = [
    "model.json",
    "states.npy",
    "tags.npy",
    "transitions.npy",
    "unigrams.npy",
    "vocabulary.txt",
]


@pytest.fixture
def model():
    return LanguageModel.from_ngrams(estimate(*encoded(skewed_text(seed=4)), 3))


@pytest.fixture
def folder(tmp_path, model):
    model.save(tmp_path / "lm")
    return tmp_path / "lm"


def test_a_saved_model_is_the_same_when_loaded(model, folder):
    loaded = LanguageModel.load(folder)
    assert sorted(path.name for path in folder.iterdir()) == FILES
    assert loaded.vocabulary == model.vocabulary
    assert (loaded.order, loaded.begin_state) == (3, model.begin_state)
    assert loaded.automaton.shift == model.automaton.shift
    for mine, theirs in zip(model.automaton[:4], loaded.automaton[:4], strict=True):
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)
    for words in skewed_text(seed=5, n_sentences=5):
        assert loaded.score(words) == model.score(words)


def test_arrays_are_read_only_and_those_of_files_are_mapped(model, folder):
    loaded = LanguageModel.load(folder).automaton
    for automaton in (model.automaton, loaded):
        assert not any(array.flags.writeable for array in automaton[:4])
    assert all(isinstance(array.base, np.memmap) for array in loaded[:4])


def test_words_with_odd_letters_survive(tmp_path):
    odd = ["a\u3000b", "\u0085", "\u2028x", "\r", "é"]
    model = LanguageModel.from_ngrams(estimate(*encoded([odd]), 2))
    model.save(tmp_path)
    assert LanguageModel.load(tmp_path).vocabulary.words[3:] == tuple(odd)


def test_saving_over_a_model_leaves_those_who_use_it_alone(folder):
    loaded = LanguageModel.load(folder)
    before = loaded.automaton.states.copy()
    other = LanguageModel.from_ngrams(estimate(*encoded([["a"]]), 2))
    other.save(folder)
    assert np.array_equal(loaded.automaton.states, before)
    assert LanguageModel.load(folder).vocabulary == other.vocabulary


def test_a_word_with_a_line_end_cannot_be_saved(tmp_path):
    model = LanguageModel.from_ngrams(estimate(*encoded([["a\nb"]]), 2))
    with pytest.raises(DataError, match=r"lm: a word with a line end in it cannot be saved"):
        model.save(tmp_path / "lm")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(write, model):
    with pytest.raises(DataError, match="file: cannot be written: File exists"):
        model.save(write("file", "x"))


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(DataError, match=rf"{name}: no such file"):
        LanguageModel.load(folder)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere: no such folder"):
        LanguageModel.load(tmp_path / "nowhere")


def test_another_format_is_refused(folder):
    path = folder / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(DataError) as caught:
        LanguageModel.load(folder)
    assert str(caught.value) == (
        f"{path}: format 99 of a language model\n"
        "  this version reads format 1\n"
        "  make the model again"
    )


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": 1}', "\ufffd", '{"format": 1, "order']
)
def test_a_header_that_is_none_is_refused(folder, content):
    (folder / "model.json").write_text(content)
    with pytest.raises(DataError, match=r"model\.json: is not the header of a language model"):
        LanguageModel.load(folder)


def test_a_file_that_the_system_refuses_is_named(folder):
    (folder / "model.json").unlink()
    (folder / "model.json").mkdir()
    with pytest.raises(DataError, match=r"model\.json: cannot be read: Is a directory"):
        LanguageModel.load(folder)


@pytest.mark.parametrize("content", [b"", b"not an array", b"\x93NUMPY\x01\x00"])
def test_an_array_that_is_none_is_refused(folder, content):
    (folder / "states.npy").write_bytes(content)
    with pytest.raises(DataError, match=r"states\.npy: is not an array\n  make the model again"):
        LanguageModel.load(folder)


def test_a_cut_array_is_refused(folder):
    path = folder / "transitions.npy"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match=r"transitions\.npy: is not an array"):
        LanguageModel.load(folder)


@pytest.mark.parametrize("name", ["states", "unigrams", "transitions", "tags"])
def test_an_array_of_another_model_is_refused(tmp_path, folder, name):
    other = LanguageModel.from_ngrams(estimate(*encoded([["a"]]), 2))
    other.save(tmp_path / "other")
    shutil.copy(tmp_path / "other" / f"{name}.npy", folder)
    with pytest.raises(
        DataError, match=rf"{name}\.npy: \([0-9]+,\) of .*\n  the model has [0-9]+; "
    ):
        LanguageModel.load(folder)


def test_a_vocabulary_of_another_model_is_refused(folder):
    path = folder / "vocabulary.txt"
    n_words = path.read_text().count("\n")
    path.write_text(path.read_text() + "more\n")
    expected = rf"vocabulary\.txt: {n_words + 1} words\n  the model has {n_words}; the files are"
    with pytest.raises(DataError, match=expected):
        LanguageModel.load(folder)


@pytest.mark.parametrize("content", [b"a\nb\n", b"<unk>\n<s>\n</s>\n\xff\n"])
def test_a_vocabulary_that_is_none_is_refused(folder, content):
    (folder / "vocabulary.txt").write_bytes(content)
    with pytest.raises(DataError, match=r"vocabulary\.txt: is not a vocabulary: "):
        LanguageModel.load(folder)
