import gzip

import pytest

from models.errors import BadLine
from models.language_model import read_text


def test_several_files_plain_and_packed_become_one_text(write):
    plain = write("a.txt", "the cat\n\n")
    packed = write("b.txt.gz", gzip.compress(b"cat\tsat  \n"))
    seen = []
    vocabulary, sentences = read_text([plain, packed], lambda *step: seen.append(step))
    assert [vocabulary.decode(row) for row in sentences] == [["the", "cat"], [], ["cat", "sat"]]
    assert vocabulary.words[3:] == ("the", "cat", "sat")
    assert seen == []  # nothing to say of three lines


def test_progress_counts_lines(write):
    seen = []
    read_text([write("long.txt", "a\n" * 2500)], lambda *step: seen.append(step))
    assert seen == [("reading lines", 1000), ("reading lines", 2000)]


@pytest.mark.parametrize("symbol", ["<s>", "</s>", "<unk>"])
def test_symbols_of_language_models_are_refused_with_file_and_line(write, symbol):
    path = write("a.txt", f"fine\nnot {symbol} fine\n")
    with pytest.raises(BadLine) as caught:
        read_text([path])
    assert str(caught.value) == (
        f"{path}:2: the word {symbol} is reserved for language models\n"
        "  escape it, for instance as &lt;s&gt;"
    )


def test_broken_utf8_is_refused_with_file_and_line(write):
    path = write("a.txt", b"fine\nna\xefve\n")
    with pytest.raises(BadLine, match=r"a\.txt:2: byte 0xef at column 3 is not UTF-8"):
        read_text([path])
