"""Trees for given tokens, with a parser that needs no package, and with GiNZA if there is one."""

import importlib.util

import pytest

from hyperbaton.corpus.corpora.reading import SourceFiles, read_sentences
from hyperbaton.corpus.trees import parser as module
from hyperbaton.corpus.trees.conllu import read_conllu
from hyperbaton.corpus.trees.parser import Parsed, conllu_blocks, load_parser
from hyperbaton.foundation.errors import SettingError
from tests.refusals import refusals, refused

HAS_GINZA = all(importlib.util.find_spec(name) for name in ("ginza", "ja_ginza"))


def chain_parser(sentences):
    """Every word hangs from the next one; it reads two sentences ahead, as parsers do."""
    sentences = list(sentences)
    for words in sentences:
        n = len(words)
        yield Parsed(["X"] * n, [*range(1, n), -1], ["dep"] * (n - 1) + ["root"])


def test_a_block_for_every_line_by_hand():
    blocks = list(conllu_blocks(chain_parser, [["hon", "o"], [], ["katta"]]))
    assert blocks == [
        "# sent_id = 1\n# text = hon o\n"
        "1\thon\t_\tX\t_\t_\t2\tdep\t_\t_\n2\to\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
        "# sent_id = 2\n# text =\n\n",
        "# sent_id = 3\n# text = katta\n1\tkatta\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    ]


def test_what_is_written_is_read_back_line_by_line(tmp_path):
    lines = [["a", "#", "_"], [], ["b"], []]
    path, text = tmp_path / "t.conllu", tmp_path / "t.ja"
    path.write_text("".join(conllu_blocks(chain_parser, lines)))
    text.write_text("".join(f"{' '.join(words)}\n" for words in lines))
    assert [list(sentence.words) for _, sentence in read_conllu(path)] == lines
    found = list(read_sentences(SourceFiles(text, path, path)))
    assert [list(sentence.words) for sentence in found] == lines
    assert found[0].tags == ("X", "X", "X")
    assert [sentence.tree is not None for sentence in found] == [True, False, True, False]


def test_a_comment_alone_is_no_sentence(tmp_path):
    path = tmp_path / "t.conllu"
    row = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n"
    path.write_text(f"# newdoc\n\n# text = a\n{row}\n# text =\n\n# the end\n")
    assert [list(sentence.words) for _, sentence in read_conllu(path)] == [["a"], []]


@refusals(
    (lambda sentences: (Parsed(["X"], [-1], ["root"]) for _ in sentences), "1 words for 2"),
    (lambda _sentences: iter(()), "0 words for 2"),  # loses a sentence
)
def test_a_parser_that_does_not_keep_the_tokens_is_refused(wrong):
    list(conllu_blocks(wrong, [["a", "b"]]))


def test_a_parser_that_does_not_exist_or_is_not_installed(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(module.importlib, "import_module", absent)
    facts = "No module named 'ginza' … pip install 'hyperbaton[parse]'"
    refused(facts, lambda: load_parser("ja"))
    refused("no parser for the language 'jp'", lambda: load_parser("jp"), SettingError)


@pytest.mark.skipif(not HAS_GINZA, reason="GiNZA is not installed")
def test_ginza_keeps_the_tokens_and_finds_the_verb():
    # 自分 の 事 を しろ: "mind your own business"; a tokeniser of its own would split 自分の
    words = ["自分の", "事", "を", "しろ"]
    [parsed] = load_parser("ja")([words])
    assert len(parsed.tags) == len(parsed.heads) == 4
    assert parsed.heads[3] == -1
    assert parsed.heads[2] == 1
    assert parsed.tags[3] == "VERB"
