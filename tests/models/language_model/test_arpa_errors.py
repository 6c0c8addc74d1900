import contextlib
import gzip
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.errors import DataError
from hyperbaton.models.language_model import estimate, read_arpa, write_arpa
from tests.models.language_model.small_texts import encoded
from tests.models.language_model.test_arpa import EXAMPLE
from tests.refusals import refusals, refused
from tests.strategies import garbage

FIELDS = "expected a probability, a {}-gram, optionally a backoff".format
HEADER = "".join(f"ngram {n}=1\n" for n in range(2, 8))
PROBABILITY = "-0.4259687\ta b"


@refusals(
    ("\\data\\", "data", "bad.arpa:19: … no \\data\\ line"),
    ("ngram 2=4", "ngram 3=4", "bad.arpa:3: ngram 3 … expected 2"),
    ("ngram 1=5\nngram 2=4\n", "", "bad.arpa:3: … 0 ngram lines … expected 1 to 6"),
    ("ngram 2=4\n", HEADER, "bad.arpa:10: … 7 ngram lines … expected 1 to 6"),
    ("\\1-grams:", "\\2-grams:", "bad.arpa:5: found '\\\\2-grams:' … expected \\1-grams:"),
    ("\n\\end\\\n", "\n", "bad.arpa:18: the file ends … expected \\end\\"),
    ("\\end\\", "end", "bad.arpa:18: too few fields"),
    ("\tb\t", "\ta\t", "bad.arpa:10: the word 'a' is listed twice"),
    ("\t<s>\t", "\tc\t", "bad.arpa:12: <s> is not among the unigrams"),
    ("\t</s>\t", "\tc\t", "bad.arpa:12: </s> is not among the unigrams"),
    ("ngram 1=5", "ngram 1=6", "bad.arpa:12: … after 5 1-grams … ngram 1=6"),
    ("ngram 2=4", "ngram 2=3", "bad.arpa:18: … after 4 2-grams … ngram 2=3"),
    ("\tb\t-0.30103", "\tb\t-0.30103\t1", f"bad.arpa:10: too many fields … {FIELDS(1)}"),
    ("a b", "a", f"bad.arpa:14: too few fields … {FIELDS(2)}"),
    ("a b", "a b -1 -1", f"bad.arpa:14: too many fields … {FIELDS(2)}"),
    ("a b", "a b c", "bad.arpa:14: 'c' is not a number"),
    ("a b", "a b -1e999", "bad.arpa:14: '-1e999' is not a number"),
    ("a b", "a b -1.5e6", "bad.arpa:14: '-1.5e6' is not a number, or too large"),
    (PROBABILITY, "nan a b", "bad.arpa:14: 'nan' is not a number"),
    (PROBABILITY, "-1.5e a b", "bad.arpa:14: '-1.5e' is not a number"),
    (PROBABILITY, "-1.2.3 a b", "bad.arpa:14: '-1.2.3' is not a number"),
    (PROBABILITY, ".25 a b", "bad.arpa:14: the log probability .25 is above 0"),
    ("-0.60206\tb", "0.60206\tb", "bad.arpa:10: the log probability 0.60206 is above 0"),
    ("a b", "a c", "bad.arpa:14: the word 'c' is not among the unigrams"),
    ("a </s>", "a b", "bad.arpa: the 2-gram 'a b' is listed twice"),
    ("\tb\t", "\t\udcefb\t", "bad.arpa:10: byte 0xef is not UTF-8 … convert"),
)
def test_errors_name_file_and_line(write, old, new):
    assert old in EXAMPLE
    text = EXAMPLE.replace(old, new, 1).encode(errors="surrogateescape")
    read_arpa(write("bad.arpa", text))


def test_files_that_cannot_be_read(write):
    path = write("bad.arpa.gz", gzip.compress(EXAMPLE.encode())[:-20])
    refused("bad.arpa.gz:1 … broken gzip file", lambda: read_arpa(path))
    refused("no.arpa: no such file", lambda: read_arpa(path.with_name("no.arpa")))


@given(st.lists(garbage(b"-1.5eE+ \tabx\r\\\n<s>"), min_size=1, max_size=4))
def test_garbage_is_read_or_refused_but_never_a_defect(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("garbage") / "garbage.arpa"
    head, tail = EXAMPLE.encode().split(b"-0.4259687\ta b\n")
    path.write_bytes(b"\n".join([head, *lines, tail]))
    with contextlib.suppress(DataError):
        assert read_arpa(path).order == 2  # what the header says


@pytest.mark.parametrize("word", ["", "a b", "a\tb", "a\n", "\ra"])
def test_a_word_that_no_text_file_can_hold_is_refused(tmp_path, word):
    ngrams, path = estimate(*encoded([["fine", word]]), 2), tmp_path / "model.arpa"
    refused(f"{word!r} … without spaces, tabs and line breaks", lambda: write_arpa(ngrams, path))
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    refused("", lambda: write_arpa(ngrams, path))
    assert path.read_text() == "old"


def test_a_file_that_cannot_be_written_is_named_and_nothing_is_left(tmp_path):
    ngrams = estimate(*encoded([["a"]]), 2)
    (tmp_path / "folder").mkdir()
    for name, why in (("none/x.arpa", "No such file or dir"), ("folder", "Is a directory")):
        attempt = partial(write_arpa, ngrams, tmp_path / name)
        refused(f"{name}: cannot be written: {why}", attempt)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
