"""`hyperbaton parse`: its files and its messages, with a parser that needs no package."""

import gzip

import pytest

from hyperbaton import main as frame
from hyperbaton.commands.parse import LANGUAGES, parse
from hyperbaton.corpus.trees import parser as module
from tests.corpus.trees.test_parser import chain_parser


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command inside this process: exit code, standard output, standard error."""
    monkeypatch.setitem(frame.cli.commands, "parse", parse)
    monkeypatch.setitem(module.LOADERS, "ja", lambda: chain_parser)

    def run_parse(*arguments):
        with pytest.raises(SystemExit) as stop:
            frame.main(["parse", *map(str, arguments)])
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run_parse


def test_languages_are_those_of_the_parsers():
    assert set(LANGUAGES) == set(module.LOADERS)


def test_trees_go_to_standard_output_and_talk_to_standard_error(run, write):
    code, out, error = run(write("t.ja", "hon o\n\nkatta\n"), "--language", "ja")
    assert code == 0
    assert out.count("\n\n") == 3  # one block a line
    assert "1\thon\t_\tX\t_\t_\t2\tdep" in out
    assert error == "3 sentences parsed\n"


def test_trees_go_to_a_packed_file(run, write, tmp_path):
    out = tmp_path / "t.conllu.gz"
    assert run(write("t.ja", "a b\n"), "--language", "ja", "--out", out)[0] == 0
    assert gzip.decompress(out.read_bytes()).decode().startswith("# sent_id = 1\n# text = a b\n")


def test_a_line_that_is_not_text_is_named_and_no_file_appears(run, tmp_path):
    (tmp_path / "t.ja").write_bytes(b"a\n\xff\n")
    out = tmp_path / "t.conllu"
    code, _, error = run(tmp_path / "t.ja", "--language", "ja", "--out", out)
    assert code == 1
    assert "t.ja:2" in error
    assert not out.exists()


def test_a_language_must_be_given(run, write):
    code, _, error = run(write("t.ja", "a\n"))
    assert code == 2
    assert "--language" in error
