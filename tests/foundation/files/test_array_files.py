import json
import shutil
from typing import Any, NamedTuple

import numpy as np
import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import load_arrays, restored, save_arrays, saved
from hyperbaton.foundation.files.vocabulary import Vocabulary
from tests.mapped_arrays import is_mapped

FILES = ["big.npy", "header.json", "small.npy", "words.txt"]


def save(folder, words=("a", "b"), size=6, format_number=1):
    arrays = {"big": np.arange(size).reshape(-1, 2), "small": np.array([0.5], np.float32)}
    vocabularies = {"words": Vocabulary(words)}
    save_arrays(folder, format_number, {"order": 3}, arrays, vocabularies)
    return folder


@pytest.fixture
def folder(tmp_path):
    return save(tmp_path / "f")


def test_what_is_saved_is_loaded_and_mapped(folder):
    assert sorted(path.name for path in folder.iterdir()) == FILES
    header, arrays, vocabularies = load_arrays(folder, 1)
    assert header == {"order": 3}
    assert arrays["big"].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert arrays["small"].dtype == np.float32
    assert vocabularies["words"] == Vocabulary(["a", "b"])
    for values in arrays.values():
        assert not values.flags.writeable
        assert is_mapped(values)


class Pieces(NamedTuple):
    first: Any
    scale: float
    second: Any


def test_the_arrays_of_a_named_tuple_are_saved_and_the_rest_is_given_again():
    pieces = Pieces(np.arange(3), 0.5, np.ones(2))
    arrays = saved(pieces, "some_")
    assert list(arrays) == ["some_first", "some_second"]
    again = restored(Pieces, arrays | {"other_first": None}, "some_", scale=2.0)
    assert again.first is pieces.first
    assert again.second is pieces.second
    assert again.scale == 2.0
    assert list(saved(pieces)) == ["first", "second"]


def test_words_with_odd_letters_survive(tmp_path):
    odd = ["a\u3000b", "\u0085", "\u2028x", "\r", "é", ""]
    save(tmp_path, odd)
    assert load_arrays(tmp_path, 1).vocabularies["words"].words[3:] == tuple(odd)


def test_saving_again_leaves_those_who_use_the_folder_alone(folder):
    before = load_arrays(folder, 1).arrays["big"]
    save(folder, size=8)
    assert before.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert len(load_arrays(folder, 1).arrays["big"]) == 4


def test_a_word_with_a_line_end_cannot_be_saved(tmp_path):
    with pytest.raises(DataError, match="f: a word with a line end in it cannot be saved"):
        save(tmp_path / "f", ["a\nb"])
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(write):
    with pytest.raises(DataError, match="file: is not a folder"):
        save(write("file", "x"))


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(DataError, match=rf"{name}: no such file"):
        load_arrays(folder, 1)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(DataError, match="nowhere: no such folder"):
        load_arrays(tmp_path / "nowhere", 1)


def test_another_format_is_refused(folder):
    with pytest.raises(DataError) as caught:
        load_arrays(folder, 2)
    assert str(caught.value) == (
        f"{folder / 'header.json'}: has format 1\n"
        "  this version of hyperbaton reads format 2\n"
        "  train or import the model again"
    )


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1}', "\ufffd", '{"format": 1, "o'])
def test_a_header_that_is_none_is_refused(folder, content):
    (folder / "header.json").write_text(content)
    with pytest.raises(DataError, match=r"header\.json: is not a header of arrays\n  train or imp"):
        load_arrays(folder, 1)


@pytest.mark.parametrize("name", ["../big", "a/b", "/etc/x", "a\0b", "\ud800"])
@pytest.mark.parametrize("kind", ["arrays", "vocabularies"])
def test_a_name_that_no_file_of_the_folder_has_is_refused(folder, kind, name):
    path = folder / "header.json"
    content = json.loads(path.read_text())
    content[kind][name] = next(iter(content[kind].values()))
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"header\.json: is not a header of arrays"):
        load_arrays(folder, 1)


def test_a_file_that_the_system_refuses_is_named(folder):
    (folder / "header.json").unlink()
    (folder / "header.json").mkdir()
    with pytest.raises(DataError, match=r"header\.json: is a folder, not a file"):
        load_arrays(folder, 1)


@pytest.mark.parametrize("content", [b"", b"not an array", b"\x93NUMPY\x01\x00"])
def test_an_array_that_is_none_is_refused(folder, content):
    (folder / "big.npy").write_bytes(content)
    with pytest.raises(DataError, match=r"big\.npy: is not an array\n  train or import the model"):
        load_arrays(folder, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(
            ("'<i8'", "'<i9'"),
            ("'<i8'", "'|O8'"),
            ("'<i8'", "'\\\\i8'"),
            ("'<i8'", "[('a', '<i8')]"),
        ),
        *(("(3, 2)", "(2, 3L)"), ("(3, 2)", "(6)"), ("(3, 2)", "(3, 2, 0)"), ("(3, 2)", "()")),
        ("(3, 2)", "(999999999999999999, 999999999999999999, 0)"),
        *(("False", "True"), ("'descr'", "'order'"), (" }", " } x"), (" }", "\n }")),
    ],
)
@pytest.mark.filterwarnings("default")  # an error would be taken for a broken file
def test_a_broken_header_of_an_array_is_refused_without_a_warning(folder, recwarn, old, new):
    """NumPy would take some of them for headers that Python 2 has written, and say so."""
    path = folder / "big.npy"
    content = path.read_bytes()
    header, body = content[10:-48], content[-48:]  # 3 × 2 numbers of 8 bytes
    header = header.replace(old.encode(), new.encode())
    path.write_bytes(content[:8] + len(header).to_bytes(2, "little") + header + body)
    with pytest.raises(DataError, match=r"big\.npy: "):
        load_arrays(folder, 1)
    assert not recwarn


@pytest.mark.parametrize(
    "values",
    [
        *(np.zeros(0, np.float32), np.zeros((0, 3), np.int8), np.ones((2, 3, 4), np.uint64)),
        *(np.array([True, False]), np.array(["a", "bcd"]), np.asfortranarray(np.eye(3, 4))),
        np.array([(1, 2.5)], dtype=[("key", "<u4"), ("logprob", "<f4")]),
    ],
)
def test_arrays_of_all_kinds_come_back(tmp_path, values):
    save_arrays(tmp_path, 1, {}, {"x": values}, {})
    laws = lambda arrays: arrays.array("x", values.dtype, values.shape)  # noqa: E731
    found = load_arrays(tmp_path, 1, laws).arrays["x"]
    assert found.tolist() == values.tolist() == np.load(tmp_path / "x.npy").tolist()


def test_a_cut_array_is_refused(folder):
    path = folder / "big.npy"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(DataError, match=r"big\.npy: is not an array"):
        load_arrays(folder, 1)


@pytest.mark.parametrize("name", ["big.npy", "words.txt"])
def test_a_file_of_another_folder_is_refused(tmp_path, folder, name):
    other = save(tmp_path / "other", ["a", "b", "c"], size=8)
    shutil.copy(other / name, folder)
    with pytest.raises(
        DataError,
        match=rf"{name}: holds .*\n  the header says .*; the files come from different folders",
    ):
        load_arrays(folder, 1)


@pytest.mark.parametrize("content", [b"a\nb", b"<unk>\n<s>\n</s>\n\xff"])
def test_a_vocabulary_that_is_none_is_refused(folder, content):
    (folder / "words.txt").write_bytes(content)
    with pytest.raises(DataError, match=r"words\.txt: is not a vocabulary: "):
        load_arrays(folder, 1)


def test_the_header_says_what_there_is(folder):
    content = json.loads((folder / "header.json").read_text())
    assert content["arrays"] == {"big": "(3, 2) of int64", "small": "(1,) of float32"}
    assert content["vocabularies"] == {"words": 5}
