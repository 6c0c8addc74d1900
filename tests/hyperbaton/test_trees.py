"""`hyperbaton trees`: its files and its messages, with a parser that needs no package."""

import gzip
from functools import partial

import pytest

from hyperbaton.commands.trees import LANGUAGES
from hyperbaton.corpus.trees import parser as module
from tests import command_line
from tests.corpus.trees.test_parser import chain_parser


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setitem(module.LOADERS, "ja", lambda: chain_parser)
    return partial(command_line.outcome, "trees")


def test_languages_are_those_of_the_parsers():
    assert set(LANGUAGES) == set(module.LOADERS)


def test_trees_go_to_standard_output_and_talk_to_standard_error(run, write):
    out, error = run(write("t.ja", "hon o\n\nkatta\n"), "--language", "ja")
    assert out.count("\n\n") == 3  # one block a line
    assert "1\thon\t_\tX\t_\t_\t2\tdep" in out
    assert error == "3 sentences parsed\n"


def test_trees_go_to_a_packed_file(run, write, tmp_path):
    out = tmp_path / "t.conllu.gz"
    run(write("t.ja", "a b\n"), "--language", "ja", "--out", out)
    assert gzip.decompress(out.read_bytes()).decode().startswith("# sent_id = 1\n# text = a b\n")


def test_a_line_that_is_not_text_is_named_and_no_file_appears(run, tmp_path):
    (tmp_path / "t.ja").write_bytes(b"a\n\xff\n")
    out = tmp_path / "t.conllu"
    _, error = run(tmp_path / "t.ja", "--language", "ja", "--out", out, code=1)
    assert "t.ja:2" in error
    assert not out.exists()
