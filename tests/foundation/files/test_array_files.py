import json
import shutil
from typing import Any, NamedTuple

import numpy as np
import pytest

from hyperbaton.foundation.files.array_files import load_arrays, restored, save_arrays, saved
from hyperbaton.foundation.files.vocabulary import Vocabulary
from tests.mapped_arrays import is_mapped
from tests.refusals import refusals, refused

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


def test_what_cannot_be_saved(tmp_path):
    refused("f: … a line break", lambda: save(tmp_path / "f", ["a\nb"]))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    refused("file: is not a folder", lambda: save(tmp_path / "file"))


def replaced(name, content):
    """Another file in the place of one of a folder; none if there is no content."""

    def change(folder):
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_bytes(content)

    return change


def named(kind, name):
    """A header that names a file which no folder can have."""

    def change(folder):
        path = folder / "header.json"
        content = json.loads(path.read_text())
        content[kind][name] = next(iter(content[kind].values()))
        path.write_text(json.dumps(content))

    return change


def cut(folder):
    path = folder / "big.npy"
    path.write_bytes(path.read_bytes()[:-8])


def mixed(name):
    def change(folder):
        other = save(folder.with_name("other"), ["a", "b", "c"], size=8)
        shutil.copy(other / name, folder)

    return change


def folder_as_header(folder):
    (folder / "header.json").unlink()
    (folder / "header.json").mkdir()


NO_HEADER = "header.json: is not a header of arrays … train or import"
NO_ARRAY = "big.npy: is not an array … train or import"
NO_WORDS = "words.txt: is not a vocabulary: "
OTHERS = "../big", "a/b", "/etc/x", "a\0b", "\ud800"
HEADERS = b"", b"[]", b"{}", b'{"format": 1}', b"\xef\xbf\xbd", b'{"format": 1, "o'


@refusals(
    *((replaced(name, None), f"{name}: no such file") for name in FILES),
    (shutil.rmtree, "/f: no such folder"),
    (folder_as_header, "header.json: is a folder, not a file"),
    *((replaced("header.json", content), NO_HEADER) for content in HEADERS),
    *((named(kind, name), NO_HEADER) for kind in ("arrays", "vocabularies") for name in OTHERS),
    *((replaced("big.npy", x), NO_ARRAY) for x in (b"", b"no array", b"\x93NUMPY\x01\x00")),
    (cut, "big.npy: is not an array"),
    *((replaced("words.txt", x), NO_WORDS) for x in (b"a\nb", b"<unk>\n<s>\n</s>\n\xff")),
    (mixed("big.npy"), "big.npy: contains … expected … by the header … different folders"),
    (mixed("words.txt"), "words.txt: contains … expected … by the header … different folders"),
)
def test_damaged_folders_are_refused(folder, change):
    change(folder)
    load_arrays(folder, 1)


def test_another_format_is_refused(folder):
    facts = f"{folder / 'header.json'}: has format 1 … reads format 2 … train or import"
    refused(facts, lambda: load_arrays(folder, 2))


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
    refused("big.npy: ", lambda: load_arrays(folder, 1))
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


def test_the_header_says_what_there_is(folder):
    content = json.loads((folder / "header.json").read_text())
    assert content["arrays"] == {"big": "(3, 2) of int64", "small": "(1,) of float32"}
    assert content["vocabularies"] == {"words": 5}
