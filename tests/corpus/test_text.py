import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hyperbaton.corpus.text import read_lines, split_factors, split_words
from hyperbaton.foundation.errors import BadLine, DataError
from hyperbaton.foundation.files.compression import plain_name
from tests.refusals import refusals, refused

if sys.version_info >= (3, 14):
    from compression.zstd import compress as zstd_compress
else:
    from backports.zstd import compress as zstd_compress


def lines_of(path):
    return [line for _, line in read_lines(path)]


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd_compress}
PROGRAMS = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}


@pytest.mark.parametrize("ending", PACKERS)
def test_plain_and_compressed_files_give_the_same_lines(write, ending):
    content = "ein haus\n\nzwei\n"
    plain = write("a.txt", content)
    packed = write(f"a.txt.{ending}", PACKERS[ending](content.encode()))
    assert list(read_lines(plain)) == [(1, "ein haus"), (2, ""), (3, "zwei")]
    assert list(read_lines(packed)) == list(read_lines(plain))
    assert plain_name(packed) == "a.txt"


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_pieces_one_after_the_other(write, ending):
    pieces = PACKERS[ending](b"a\nb") + PACKERS[ending](b"c\n")
    assert lines_of(write(f"a.{ending}", pieces)) == ["a", "bc"]


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a\nb\n")))
    assert lines_of(Path("-")) == ["a", "b"]


def test_carriage_returns_byte_order_mark_and_missing_last_newline(write):
    assert lines_of(write("dos.txt", b"\xef\xbb\xbfa b\r\nc\r")) == ["a b", "c"]


def test_only_line_feeds_end_lines_and_only_spaces_and_tabs_end_words(write):
    odd = "a\u3000b\u0085c\u2028d\x0be  f\tg "
    assert lines_of(write("odd.txt", odd + "\n")) == [odd]
    assert split_words(odd) == ["a\u3000b\u0085c\u2028d\x0be", "f", "g"]


def test_a_line_that_is_not_utf8_is_bad_and_the_others_are_not(write):
    first, bad, last = lines_of(write("latin1.txt", b"good\nnaif na\xefve\nlast\n"))
    assert (first, last) == ("good", "last")
    assert isinstance(bad, BadLine)
    assert bad.what == "byte 0xef at column 8 is not UTF-8"
    assert "iconv" in bad.expected


@refusals(
    ("train.em", "/train.em: no such file … did you mean … train.en?"),
    ("nothing", "nothing: no such file"),
    ("nowhere/train.en", "nowhere: no such folder"),
    ("folder", "folder: is a folder, not a file"),
    ("folder.gz", "folder.gz: is a folder, not a file"),
    ("train.en/below", "below: cannot be read: Not a directory"),
    ("x" * 300, "x: cannot be read: File name too long"),
)
def test_a_file_that_cannot_be_read_is_named(write, tmp_path, name):
    write("train.en", "x")
    for folder in ("folder", "folder.gz"):
        (tmp_path / folder).mkdir()
    lines_of(tmp_path / name)


def test_a_neighbour_that_is_not_near_is_not_named(tmp_path):
    error = refused("no such file", lambda: lines_of(tmp_path / "nothing"))
    assert not error.expected


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only on Linux")
def test_a_file_that_fails_while_it_is_read_is_named_with_the_line():
    path = Path("/proc/self/mem")
    refused(f"{path}:1: cannot be read: Input/output error", lambda: lines_of(path))


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("damage", ["another format", "cut off", "overwritten"])
def test_a_broken_compressed_file_is_named_with_the_line(write, ending, damage):
    content = PACKERS[ending](bytes(range(97, 107)) * 999 + b"\n" * 5000)
    middle = len(content) // 2
    content = {
        "another format": b"this is plain text, and a name that promises something else\n",
        "cut off": content[:-20],
        "overwritten": content[:middle] + b"\xff" * 30 + content[middle + 30 :],
    }[damage]
    program = PROGRAMS[ending]
    message = rf"bad\.{ending}:[0-9]+: broken {program} file: .*\n  test it with {program} -t"
    with pytest.raises(DataError, match=message):
        lines_of(write(f"bad.{ending}", content))


def test_factors_give_words_and_their_last_factor():
    assert split_factors("hon|N o|lemma|P") == (["hon", "o"], ["N", "P"])


@pytest.mark.parametrize("line", ["hon|N o", "|N", "||N", "hon|", "hon|x|"])
def test_a_word_without_a_tag_is_a_bad_line(line):
    refused("word … is not word|tag … &#124;", lambda: split_factors(line), BadLine)


def test_an_escaped_bar_is_part_of_a_word():
    assert split_factors("&#124;|SYM a&#124;b|N") == (["&#124;", "a&#124;b"], ["SYM", "N"])
