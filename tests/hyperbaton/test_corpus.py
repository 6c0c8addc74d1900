"""`hyperbaton corpus` and the texts and pictures it makes."""

import json
from pathlib import Path

import pytest

from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.corpus.corpora.statistics import statistics
from hyperbaton.views.corpus_text import describe, plot_distances, show_pair
from tests import command_line
from tests.refusals import refusals


def run(*arguments, **options):
    return command_line.run("corpus", *arguments, **options)


@pytest.fixture
def two_files(write):
    return ["--source", write("t.ja", "hon o katta\nhai\n"), "--target", write("t.en", "he\nyes\n")]


def small_corpus():
    builder = CorpusBuilder(source_tags=True)
    builder.add(["hon", "o", "katta"], ["bought", "a", "book"], [2, 0, 0, 2], ["N", "P", "V"])
    return builder.finish()


def test_a_pair_is_shown_word_by_word():
    assert show_pair(small_corpus(), 0).splitlines() == [
        "pair 0: hon o katta",
        "  bought a book",
        "   0 hon    N  2:book",
        "   1 o      P  -",
        "   2 katta  V  0:bought",
    ]


@refusals(
    (small_corpus(), -1, "no pair -1 … 0 to 0"),
    (small_corpus(), 1, "no pair 1 … 0 to 0"),
    (CorpusBuilder().finish(), 0, "no pair 0 … the corpus is empty"),
)
def test_a_pair_that_does_not_exist(corpus, number):
    show_pair(corpus, number)


def test_columns_are_straight_where_letters_are_two_cells_wide():
    # 本 and を are two cells wide; the accent in the last word is a letter of no width
    builder = CorpusBuilder(source_tags=True)
    builder.add(["本", "を", "cafe\u0301"], ["book"], [0, 0], ["名詞", "P", "N"])
    assert show_pair(builder.finish(), 0).splitlines()[2:] == [
        "   0 本    名詞  0:book",
        "   1 を    P     -",
        "   2 cafe\u0301  N     -",
    ]


def test_the_description_holds_the_numbers():
    lines = describe(statistics(small_corpus())).splitlines()
    assert lines[1].split() == ["words", "3", "3"]
    assert lines[6].split() == ["unaligned", "33.3%", "33.3%"]
    assert "1 sentence pair, 2 links" in lines
    assert f"    2 to 3         1  50.0% {'█' * 50}" in lines  # from the beginning to katta
    assert f"  -3 to -2         1  50.0% {'█' * 50}" in lines  # from katta back to hon
    assert lines[-1] == "0.0% monotone, farthest 3 words"
    assert (
        "a move to every aligned target word, none to the end of a sentence; -1 stays on a word"
    ) in lines


def test_statistics_as_json(two_files):
    result = json.loads(run(*two_files, "--format", "json").stdout)
    assert (result["n_pairs"], result["source"]["n_words"]) == (2, 4)


def test_standard_input_is_a_file(two_files):
    result = run("--source", "-", *two_files[2:], "--show", "1", input="hon o katta\nhai\n")
    assert result.stdout.startswith("pair 1: hai\n  yes\n")


def test_bad_input_ends_with_exit_1_and_can_be_skipped(two_files, write):
    alignment = ["--alignment", write("t.align", "0-0\n0-1\n")]
    result = run(*two_files, *alignment, code=1)
    assert result.stdout == ""
    assert "t.align:2: link 0-1 is outside its sentence pair" in result.stderr
    for skip in (["--skip-bad"], ["--set", "corpus.skip_bad=true"]):
        result = run(*two_files, *alignment, *skip)
        assert "1 of 2 pairs left out:\n  1 × link outside, first at" in result.stderr
        assert "1 sentence pair, 1 link" in result.stdout


def test_a_picture_is_drawn(two_files, tmp_path):
    for name, magic in (("d.png", b"\x89PNG"), ("d.svg", b"<?xml"), ("d.pdf", b"%PDF")):
        plot_distances({"a": statistics(small_corpus())}, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(magic)
    result = run(*two_files, "--plot", tmp_path / "cli.png")
    assert f"drawn: {tmp_path / 'cli.png'}" in result.stderr
    assert (tmp_path / "cli.png").exists()


@refusals(
    ("d.pgn", "d.pgn: .pgn … did you mean png?"),
    ("d", "no ending … known: pdf, png, svg"),
    ("nowhere/d.png", "nowhere: no such folder"),
    ("full.png", "full.png: cannot be written: No space left"),
)
def test_a_picture_that_cannot_be_drawn(tmp_path, name):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    (tmp_path / "full.png").symlink_to("/dev/full")
    plot_distances({"a": statistics(small_corpus())}, tmp_path / name)
