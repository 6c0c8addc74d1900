"""Files of translations and references, and everything that can be wrong with them."""

import gzip
from functools import partial
from pathlib import Path

import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.evaluation.references import (
    check_line_counts,
    check_standard_input,
    read_hypotheses,
    read_references,
)
from tests.refusals import refusals, refused


def test_plain_hypotheses(write):
    read = read_hypotheses(write("h", "\ufeffa b\r\n\nc\n"))
    assert (read.sentences, read.is_json) == (["a b", "", "c"], False)
    assert read_hypotheses(write("empty", "")).sentences == []


def test_packed_hypotheses(write):
    path = write("h.gz", gzip.compress(b"a b\n"))
    assert read_hypotheses(path).sentences == ["a b"]


def test_json_lines(write):
    path = write(
        "h", '{"translation": "a b", "alignment": [[0, 1]]}\n{"score": 1, "translation": ""}\n'
    )
    read = read_hypotheses(path)
    assert (read.sentences, read.is_json) == (["a b", ""], True)


def test_json_lines_of_comparisons(write):
    path = write("h", '{"text": "a b", "links": [[0, 1]], "spans": []}\n{"text": ""}\n')
    read = read_hypotheses(path)
    assert (read.sentences, read.is_json) == (["a b", ""], True)


@pytest.mark.parametrize("line", ["{", "{ a }", "[1]", '"a"', "{}}"])
def test_text_that_looks_a_little_like_json_is_text(write, line):
    assert read_hypotheses(write("h", f"{line}\n")).sentences == [line]


@refusals(
    ("a b", 'h:2: not JSON: Expecting value at column 1 … {"translation": "the book"'),
    ("[1]", 'h:2: no text "translation" … {"translation": "the book"'),
    ('{"translation": 1}', 'h:2: no text "translation"'),
    ("{}", 'h:2: no text "translation"'),
)
def test_broken_json_lines(write, line):
    read_hypotheses(write("h", '{"translation": "a"}\n' + line + "\n"))


@pytest.mark.parametrize("read", [read_hypotheses, lambda path: read_references([path])])
def test_not_utf8(write, read):
    path = write("h", b"a\n\xff\n")
    refused(f"{path}:2: byte 0xff at column 1", lambda: read(path))


def test_references_of_several_files(write):
    paths = [write("1", "a\nb\n\n"), write("2", "\nc\n \n"), write("3", "d\n\n\n")]
    # Sentence 1 has no second reference, sentence 2 no third one, sentence 3 is really empty
    assert read_references(paths) == [["a", "d"], ["b", "c"], [""]]


def test_an_empty_first_reference_gives_way_to_another_one(write):
    assert read_references([write("1", "\na\n"), write("2", "b\n\n")]) == [["b"], ["a"]]


def test_files_of_different_length(write):
    first, second = write("1", "a\nb\n"), write("2", "a\n")
    for paths in ([first, second], [second, first]):
        refused(f"{second}:2: … {first} has 2 lines", partial(read_references, paths))
    check_line_counts({"a": 3, "b": 3})


@refusals(
    (["empty", "empty"], "empty: there are no references"),
    (["blank"], "blank: all references are empty"),
    (["blnk"], "no such file … did you mean … blank?"),
)
def test_references_without_sentences_or_words(write, tmp_path, names):
    write("empty", "")
    write("blank", "\n \n")
    read_references([tmp_path / name for name in names])


def test_standard_input_only_once():
    check_standard_input([Path("-"), Path("a")])
    twice = [Path("-"), Path("a"), Path("-")]
    refused("give - for one of them only", lambda: check_standard_input(twice), SettingError)
