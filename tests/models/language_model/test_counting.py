import gzip
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.arrays import GrowingRagged
from hyperbaton.foundation.errors import BadLine
from hyperbaton.foundation.files.scratch import Scratch
from hyperbaton.foundation.files.vocabulary import BEGIN, END, UNKNOWN
from hyperbaton.models.language_model import read_text
from hyperbaton.models.language_model.counting import count_ngrams
from tests.mapped_arrays import is_mapped
from tests.refusals import refusals


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


@refusals(
    *((f"not {word} fine", f"a.txt:2: … {word} … &lt;s&gt;") for word in ("<s>", "</s>", "<unk>")),
    ("na\udcefve", "a.txt:2: byte 0xef at column 3 is not UTF-8"),
    error=BadLine,
)
def test_what_no_text_can_have_is_refused_with_file_and_line(write, line):
    text = f"fine\n{line}\n".encode(errors="surrogateescape")
    read_text([write("a.txt", text)])


@given(
    st.lists(st.lists(st.integers(3, 6), max_size=6), min_size=1, max_size=12).filter(any),
    st.integers(1, 5),
    st.sampled_from([1, 1200, 6000, 18000]),
)
def test_ngrams_counted_one_by_one_and_in_parts_of_any_size(sentences, order, memory):
    text = GrowingRagged()
    for sentence in sentences:
        text.add(sentence)
    with tempfile.TemporaryDirectory() as folder:
        counted = count_ngrams(text.finish(), 7, order, Scratch(Path(folder), memory))
        assert is_mapped(counted.word) == (len(counted.word) * 4 > memory // 32)
    expected = [Counter() for _ in range(order)]
    for sentence in sentences:
        words = [BEGIN, *sentence, END]
        for length in range(1, order + 1):
            expected[length - 1].update(
                tuple(words[at : at + length]) for at in range(len(words) - length + 1)
            )
    expected[0][(BEGIN,)] = 0
    expected[0].update({(symbol,): 0 for symbol in (UNKNOWN, BEGIN, END)})
    known = [()]  # n-grams by node
    for length, counts in enumerate(expected, 1):
        found, keys = {}, []
        for node in range(*counted.starts[length : length + 2].tolist()):
            ngram = (*known[counted.prefix[node]], int(counted.word[node]))
            assert known[counted.suffix[node]] == ngram[1:]
            low, high = counted.begins[length]
            assert (low <= node < high) == (ngram[0] == BEGIN)
            found[ngram] = int(counted.occurrences[node])
            known.append(ngram)
            keys.append((counted.prefix[node], counted.word[node]))
        assert found == dict(counts)
        assert keys == sorted(keys)
