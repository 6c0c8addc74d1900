import contextlib
import gzip
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.errors import DataError
from hyperbaton.models.language_model import estimate, read_arpa, write_arpa
from tests.models.language_model.small_texts import encoded
from tests.models.language_model.test_arpa import EXAMPLE
from tests.strategies import garbage


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            r"\data" + "\\",
            "data",
            19,
            "the file has no \\data\\ line\n  an ARPA file begins with one",
        ),
        ("ngram 2=4", "ngram 3=4", 3, "ngram 3 is out of turn\n  expected 2"),
        ("ngram 1=5\nngram 2=4\n", "", 3, "the header has 0 ngram lines\n  expected 1 to 6"),
        (
            "ngram 2=4",
            "\n".join(f"ngram {n}=1" for n in range(2, 8)),
            10,
            "the header has 7 ngram lines\n  expected 1 to 6",
        ),
        ("\\1-grams:", "\\2-grams:", 5, "found '\\\\2-grams:'\n  expected \\1-grams:"),
        ("\n\\end\\\n", "\n", 18, "the file ends\n  expected \\end\\"),
        ("\\end\\", "end", 18, "too few fields"),
        ("\tb\t", "\ta\t", 10, "the word 'a' is listed twice"),
        ("\t<s>\t", "\tc\t", 12, "<s> is not among the unigrams\n  sentences need it"),
        ("\t</s>\t", "\tc\t", 12, "</s> is not among the unigrams\n  sentences need it"),
        (
            "ngram 1=5",
            "ngram 1=6",
            12,
            "the section ends after 5 1-grams\n  the header says ngram 1=6",
        ),
        (
            "ngram 2=4",
            "ngram 2=3",
            18,
            "the section ends after 4 2-grams\n  the header says ngram 2=3",
        ),
        (
            "\tb\t-0.30103",
            "\tb\t-0.30103\t1",
            10,
            "too many fields\n  expected a probability, a 1-gram, perhaps a backoff",
        ),
        ("a b", "a", 14, "too few fields\n  expected a probability, a 2-gram, perhaps a backoff"),
        ("a b", "a b -1 -1", 14, "too many fields\n  expected a probability, a 2-gram"),
        ("a b", "a b c", 14, "'c' is not a number"),
        ("a b", "a b -1e999", 14, "'-1e999' is not a number"),
        ("a b", "a b -1.5e6", 14, "'-1.5e6' is not a number, or too large"),
        ("-0.4259687\ta b", "nan a b", 14, "'nan' is not a number"),
        ("-0.4259687\ta b", "-1.5e a b", 14, "'-1.5e' is not a number"),
        ("-0.4259687\ta b", "-1.2.3 a b", 14, "'-1.2.3' is not a number"),
        ("-0.4259687\ta b", ".25 a b", 14, "the log probability .25 is above 0"),
        ("-0.60206\tb", "0.60206\tb", 10, "the log probability 0.60206 is above 0"),
        ("a b", "a c", 14, "the word 'c' is not among the unigrams"),
    ],
)
def test_errors_name_file_and_line(write, old, new, line, message):
    assert old in EXAMPLE
    path = write("bad.arpa", EXAMPLE.replace(old, new, 1))
    with pytest.raises(DataError, match=re.escape(f"{path}:{line}: {message}")):
        read_arpa(path)


def test_an_ngram_that_is_listed_twice(write):
    path = write("bad.arpa", EXAMPLE.replace("a </s>", "a b"))
    with pytest.raises(DataError, match=r"bad\.arpa: the 2-gram 'a b' is listed twice$"):
        read_arpa(path)


def test_a_word_that_is_not_utf8(write):
    path = write("bad.arpa", EXAMPLE.encode().replace(b"\tb\t", b"\t\xefb\t"))
    with pytest.raises(DataError, match=r"bad\.arpa:10: byte 0xef is not UTF-8\n  convert"):
        read_arpa(path)


def test_a_broken_gzip_file(write):
    path = write("bad.arpa.gz", gzip.compress(EXAMPLE.encode())[:-20])
    with pytest.raises(DataError, match=r"bad\.arpa\.gz:[0-9]+: broken gzip file: "):
        read_arpa(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"no\.arpa: no such file"):
        read_arpa(tmp_path / "no.arpa")


@given(st.lists(garbage(b"-1.5eE+ \tabx\r\\\n<s>"), min_size=1, max_size=4))
def test_garbage_is_read_or_refused_but_never_a_defect(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("garbage") / "garbage.arpa"
    head, tail = EXAMPLE.encode().split(b"-0.4259687\ta b\n")
    path.write_bytes(b"\n".join([head, *lines, tail]))
    with contextlib.suppress(DataError):
        assert read_arpa(path).order == 2  # what the header says


@pytest.mark.parametrize("word", ["", "a b", "a\tb", "a\n", "\ra"])
def test_a_word_that_no_text_file_can_hold_is_refused(tmp_path, word):
    ngrams = estimate(*encoded([["fine", word]]), 2)
    with pytest.raises(DataError) as caught:
        write_arpa(ngrams, tmp_path / "model.arpa")
    assert str(caught.value) == (
        f"the word {word!r} cannot stand in a text file\n  words without spaces, tabs and line ends"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_named_and_nothing_is_left(tmp_path):
    ngrams = estimate(*encoded([["a"]]), 2)
    with pytest.raises(DataError, match=r"none/x\.arpa: cannot be written: No such file or dir"):
        write_arpa(ngrams, tmp_path / "none" / "x.arpa")
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="folder: cannot be written: Is a directory"):
        write_arpa(ngrams, tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_an_older_file_stays_if_the_new_one_fails(tmp_path):
    path = tmp_path / "model.arpa"
    path.write_text("old")
    with pytest.raises(DataError, match="cannot stand in a text file"):
        write_arpa(estimate(*encoded([["a b"]]), 2), path)
    assert path.read_text() == "old"
