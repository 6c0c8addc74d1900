import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.reading import CorpusFiles, CorpusSettings, read_corpus
from hyperbaton.foundation.errors import HyperbatonError, SettingError
from tests.refusals import refused
from tests.strategies import garbage, pairs, printable_sentences

SKIP = CorpusSettings(skip_bad=True)


@pytest.fixture
def files(write):
    """Two good pairs with every layer; tests spoil one file at a time."""
    return CorpusFiles(
        source=write("t.ja", "hon o katta\nkare wa itta\n"),
        target=write("t.en", "bought a book\nhe went\n"),
        alignment=write("t.align", "2-0 0-2 0-2\n0-0 2-1\n"),
        source_tags=write("t.ja.tags", "N P V\nPRO P V\n"),
        target_tags=write("t.en.tags", "VBD DT NN\nPRP VBD\n"),
        source_tree=write(
            "t.trees", "(VP (PP (N hon) (P o)) (V katta))\n(S (NP (N kare)) (P wa) (V itta))\n"
        ),
    )


def test_every_layer_is_read(files):
    corpus, report = read_corpus(files)
    sentence = corpus.source.sentence(0)
    assert sentence.words == ("hon", "o", "katta")
    assert sentence.tags == ("N", "P", "V")
    assert sentence.tree.brackets(sentence.words) == "(VP (PP (N hon) (P o)) (V katta))"
    assert corpus.target.sentence(1).words == ("he", "went")
    assert corpus.target.sentence(1).tags == ("PRP", "VBD")
    assert corpus.links[0].tolist() == [[0, 2], [2, 0]]  # sorted, the repetition gone
    assert (report.n_read, report.n_kept, report.lines()) == (2, 2, [])


def test_layers_are_optional(files):
    corpus, _ = read_corpus(CorpusFiles(files.source, files.target))
    sentence = corpus.source.sentence(1)
    assert (sentence.tags, sentence.tree) == (None, None)
    assert [len(links) for links in corpus.links] == [0, 0]


def test_factors_and_conllu(write):
    path = write("t.conllu", conllu([("hon", "NOUN", 3), ("o", "ADP", 1), ("katta", "VERB", 0)]))
    words, target = write("f.ja", "hon o katta\n"), write("f.en", "bought a book\n")
    corpus, _ = read_corpus(CorpusFiles(words, target, source_tags=path, source_tree=path))
    sentence = corpus.source.sentence(0)
    assert sentence.tags == ("NOUN", "ADP", "VERB")
    assert sentence.tree.labels[0] == "VERBP"
    factored = CorpusFiles(write("g.ja", "hon|N o|P\n"), write("g.en", "a|DT book|NN\n"))
    corpus, _ = read_corpus(factored, CorpusSettings(factored=True))
    assert corpus.source.sentence(0).tags == ("N", "P")
    assert corpus.target.sentence(0).tags == ("DT", "NN")


BAD = {
    "unequal lengths": ("source", "hon o katta\n", "t.ja:2: … t.en, which has a line 2"),
    "empty side": ("source", "hon o katta\n \n", "t.ja:2: … empty"),
    "not UTF-8": ("target", b"bought a book\n\xff\n", "t.en:2: … 0xff … column 1"),
    "reserved word": ("target", "bought a book\n<s> he\n", "t.en:2: … <s> … reserved"),
    "control character": ("source", "hon o katta\nkare\rwa itta ne\n", "t.ja:2: … U+000D"),
    "too long": ("target", "bought a book\n" + "x " * 65536, "t.en:2: 65536 … at most 65535"),
    "alignment": ("alignment", "2-0 0-2\n0:0\n", "t.align:2: '0:0' is not a link"),
    "link outside": ("alignment", "2-0\n0-2\n", "t.align:2: link 0-2"),
    "tags": ("source_tags", "N P V\nPRO P\n", "t.ja.tags:2: 2 tags … 3 words"),
    "tree": (
        "source_tree",
        "(VP (PP (N hon) (P o)) (V katta))\n(S (N kare) (P wa) (V ita))\n",
        "t.trees:2: … word 2 … 'ita' … 'itta'",
    ),
}


SEPARATOR = ("source", "hon o katta\nkare ||| itta\n", "t.ja:2: … ||| … reserved for phrase tables")


@pytest.mark.parametrize(("layer", "content", "facts"), [*BAD.values(), SEPARATOR])
def test_a_bad_line_is_named_with_file_and_line(files, write, layer, content, facts):
    write(getattr(files, layer).name, content)
    refused(f"{facts} … --skip-bad", lambda: read_corpus(files))


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_line_is_skipped_and_counted(files, write, kind):
    layer, content, _message = BAD[kind]
    write(getattr(files, layer).name, content)
    corpus, report = read_corpus(files, SKIP)
    assert len(corpus) == report.n_kept == 1
    assert corpus.source.sentence(0).words == ("hon", "o", "katta")
    assert "he" not in corpus.target.vocabulary  # nothing of the dropped pair remains
    assert report.dropped == {kind: 1}
    first, second = report.lines()
    assert first == "1 of 2 pairs left out:"
    assert second.startswith(f"  1 × {kind}, first at ")
    assert ":2: " in second


def test_factors_without_tags_are_bad(write):
    files = CorpusFiles(write("g.ja", "hon|N o\n"), write("g.en", "a|DT\n"))
    factored = CorpusSettings(factored=True)
    refused("g.ja:1: word 1 ('o') is not word|tag", lambda: read_corpus(files, factored))


def conllu(rows):
    """Words, their tags and their heads."""
    lines = (f"{i}\t{w}\t_\t{tag}\t_\t_\t{head}" for i, (w, tag, head) in enumerate(rows, 1))
    return "".join(f"{line}\t_\t_\t_\n" for line in lines)


def test_tags_from_conllu_must_be_those_of_the_words(files, write):
    tags = write("t.conllu", conllu([("hon", "NOUN", 0), ("wo", "ADP", 0), ("katta", "VERB", 0)]))
    files = CorpusFiles(write("one.ja", "hon o katta\n"), files.target, source_tags=tags)
    refused("t.conllu:1: word 1 … 'wo' … 'o'", lambda: read_corpus(files))


def test_a_bracket_lost_in_the_first_tree_costs_one_pair(files, write):
    trees = "(VP (PP (N hon) (P o) (V katta))\n(S (NP (N kare)) (P wa) (V itta))\n"
    corpus, report = read_corpus(replace(files, source_tree=write("lost.trees", trees)), SKIP)
    assert (len(corpus), report.dropped) == (1, {"tree": 1})


def test_long_pairs_are_left_out_without_being_errors(files):
    corpus, report = read_corpus(files, CorpusSettings(max_length=2))
    assert len(corpus) == 0
    assert report.lines()[1].endswith("t.ja:1: longer than 2 words")


def test_missing_and_unprojective_trees_are_counted(files, write):
    files = replace(files, source_tree=write("some.trees", "(S (N hon) (P o) (V katta))\n\n"))
    corpus, report = read_corpus(files)
    assert corpus.source.sentence(1).tree is None
    assert report.lines() == ["1 sentence without a tree"]
    rows = [("a", "X", 3), ("b", "X", 0), ("c", "X", 2), ("d", "X", 1)]  # d on a, across b and c
    crossing = CorpusFiles(
        write("c.ja", "a b c d\n"),
        write("c.en", "x\n"),
        source_tree=write("c.conllu", conllu(rows)),
    )
    _, report = read_corpus(crossing)
    assert report.lines() == ["1 dependency tree made projective"]


def test_an_empty_corpus_is_a_corpus(write):
    corpus, report = read_corpus(CorpusFiles(write("e.ja", ""), write("e.en", "")))
    assert (len(corpus), report.n_read) == (0, 0)


def test_standard_input_can_be_only_one_file():
    files = CorpusFiles(Path("-"), Path("-"))
    refused("both … standard input", lambda: read_corpus(files), SettingError)


def test_progress_is_reported(write):
    lines = "a\n" * 2500
    calls = []
    read_corpus(
        CorpusFiles(write("p.ja", lines), write("p.en", lines)),
        progress=lambda what, done: calls.append((what, done)),
    )
    assert calls == [("reading pairs", 1000), ("reading pairs", 2000)]


@given(st.lists(pairs(printable_sentences), max_size=5))
def test_what_is_written_is_read(examples):
    with tempfile.TemporaryDirectory() as folder:
        files = CorpusFiles(*(Path(folder, name) for name in ("s", "t", "a")))
        for path, column in (
            (files.source, [" ".join(source) for source, _, _ in examples]),
            (files.target, [" ".join(target) for _, target, _ in examples]),
            (files.alignment, [" ".join(f"{s}-{t}" for s, t in links) for _, _, links in examples]),
        ):
            path.write_bytes("".join(line + "\n" for line in column).encode())
        corpus, _ = read_corpus(files)
    for number, (source, target, links) in enumerate(examples):
        assert list(corpus.source.sentence(number).words) == source
        assert list(corpus.target.sentence(number).words) == target
        assert list(map(tuple, corpus.links[number].tolist())) == sorted(set(links))


LAYERS = {
    "source": b"ab| \t\r\n",
    "target": b"ab| \t\r\n",
    "alignment": b"01-  \n",
    "source_tags": b"NV \n",
    "target_tags": b"1234\t_\n#-.",
    "source_tree": b"(()) ab\n",
}


@given(st.data())
@pytest.mark.parametrize("conllu", [False, True])
def test_garbage_gives_a_corpus_or_our_own_error(conllu, data):
    good = {"source": b"a b\nb\n", "target": b"a\nb a\n", "alignment": b"0-0\n\n"}
    good |= {"source_tags": b"N V\nN\n"}
    spoilt = data.draw(st.sets(st.sampled_from(sorted(LAYERS)), min_size=1))
    settings = data.draw(st.builds(CorpusSettings, skip_bad=st.booleans(), factored=st.booleans()))
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for layer in {*good, *spoilt}:
            ending = data.draw(st.sampled_from(["", ".gz"])) if layer in spoilt else ""
            if conllu and layer in ("target_tags", "source_tree"):
                ending = ".conllu" + ending
            paths[layer] = Path(folder, layer + ending)
            content = data.draw(garbage(LAYERS[layer])) if layer in spoilt else good[layer]
            paths[layer].write_bytes(content)
        try:
            corpus, report = read_corpus(CorpusFiles(**paths), settings)
        except HyperbatonError as error:
            assert error.what  # noqa: PT017 - either outcome is fine
        else:
            assert isinstance(corpus, AlignedCorpus)
            assert len(corpus) == report.n_kept
