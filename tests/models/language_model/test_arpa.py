import gzip
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.language_model import LanguageModel, NGrams, estimate, read_arpa, write_arpa
from hyperbaton.models.language_model import arpa as arpa_module
from tests.models.language_model.backoff_oracles import sentence_logprobs
from tests.models.language_model.small_texts import encoded, skewed_text, table_of, texts
from tests.strategies import examples

LN10 = math.log(10)

EXAMPLE = """\\data\\
ngram 1=5
ngram 2=4

\\1-grams:
-0.90309\t<unk>\t0
0\t<s>\t-0.30103
-0.4259687\t</s>\t0
-0.60206\ta\t-0.30103
-0.60206\tb\t-0.30103

\\2-grams:
-0.20412\t<s> a
-0.4259687\ta b
-0.3590219\ta </s>
-0.1627273\tb </s>

\\end\\
"""


def test_a_written_file_by_hand(tmp_path):
    # the two sentences of test_estimation.py: log10 of 1/8, 3/8, 1/4, 1/2; 5/8, 3/8, 7/16, 11/16
    path = tmp_path / "model.arpa"
    write_arpa(estimate(*encoded([["a", "b"], ["a"]]), 2), path)
    lines = path.read_text().splitlines()
    wanted = EXAMPLE.splitlines()
    assert sorted(lines[11:15]) == sorted(wanted[11:15])  # sorted by word numbers, </s> before b
    assert lines[:11] + lines[15:] == wanted[:11] + wanted[15:]


@examples(0.8)
@given(texts, st.integers(1, 4), st.sampled_from(["model.arpa", "model.arpa.gz"]))
def test_what_is_written_is_read_again(tmp_path_factory, text, order, name):
    path = tmp_path_factory.mktemp("arpa") / name
    ngrams = estimate(*encoded(text), order)
    write_arpa(ngrams, path)
    again = read_arpa(path)
    assert again.vocabulary == ngrams.vocabulary
    assert again.counts == ngrams.counts
    assert np.array_equal(again.prefix, ngrams.prefix)
    assert np.array_equal(again.word, ngrams.word)
    assert again.logprob == pytest.approx(ngrams.logprob, abs=2e-7)
    assert again.backoff == pytest.approx(ngrams.backoff, abs=2e-7)


def test_packed_and_plain_files_have_the_same_text(tmp_path):
    ngrams = estimate(*encoded([["a", "b"]]), 2)
    write_arpa(ngrams, tmp_path / "a.arpa")
    write_arpa(ngrams, tmp_path / "a.arpa.gz")
    packed = (tmp_path / "a.arpa.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.arpa").read_bytes()
    write_arpa(ngrams, tmp_path / "b.arpa.gz")
    assert (tmp_path / "b.arpa.gz").read_bytes() == packed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.00000004, "0"),
        (-0.0000001, "-0.0000001"),
        (0.25, "0.25"),
        (-99.0, "-99"),
        (-100.5, "-100.5"),
        (-5000.0, "-999"),
        (-0.99999996, "-1"),
        (-12.3456789, "-12.3456789"),
    ],
)
def test_numbers_are_written_with_seven_digits(tmp_path, value, text):
    one = Vocabulary()
    logs = np.array([0.0, -1.0, 0.0, -1.0])
    backoff = np.array([0.0, value * LN10, 0.0, 0.0])
    words = np.array([0, 0, 1, 2], dtype=np.int32)
    write_arpa(NGrams(one, np.array([0, 1, 4, 4]), words * 0, words, logs, backoff), tmp_path / "x")
    assert f"\t<unk>\t{text}\n" in (tmp_path / "x").read_text()


def test_a_file_from_elsewhere_is_read_in_its_own_layout(write):
    path = write(
        "sri.arpa",
        "made by hand\r\n\r\n \\data\\\r\nngram  1 = 5\nngram 2=2 \n\n\\1-grams:\n"
        "-99 <s> -0.3\r\n-1e0\t</s>\n -.5  a\t-2.5E-1 \n\n-0.5 ü\n-1.25 <UNK>\n"
        "\\2-grams:\n-0.1 a\tü\n-0.2 <s> a\n\\end\\",
    )
    seen = []
    assert table_of(read_arpa(path, lambda *step: seen.append(step))) == {
        gram: pytest.approx((p * LN10, b * LN10), abs=1e-12)
        for gram, (p, b) in {
            ("<unk>",): (-1.25, 0.0),
            ("<s>",): (-99, -0.3),
            ("</s>",): (-1, 0),
            ("a",): (-0.5, -0.25),
            ("ü",): (-0.5, 0),
            ("a", "ü"): (-0.1, 0),
            ("<s>", "a"): (-0.2, 0),
        }.items()
    }
    assert seen == [("reading 1-grams", 5), ("reading 2-grams", 2)]


def test_a_missing_unknown_word_has_the_probability_that_kenlm_gives_it(write):
    path = write("a.arpa", "\\data\\\nngram 1=2\n\\1-grams:\n-1 <s>\n-1 </s>\n\\end\\\n")
    assert table_of(read_arpa(path))["<unk>",] == (pytest.approx(-100 * LN10), 0.0)


def test_words_that_are_known_before_keep_their_numbers(write):
    """Those that the file lacks are as probable as unknown words."""
    text = "\\data\\\nngram 1=4\n\\1-grams:\n-1 <s>\n-1 </s>\n-3 <unk>\n-2 b\n\\end\\\n"
    ngrams = read_arpa(write("a.arpa", text), vocabulary=Vocabulary(["a", "b"]))
    assert ngrams.vocabulary.words[3:] == ("a", "b")
    assert table_of(ngrams)["a",] == (pytest.approx(-3 * LN10), 0.0)
    assert table_of(ngrams)["b",] == (pytest.approx(-2 * LN10), 0.0)


def arpa_text(table, order, draw):
    """The table as a file, backoffs of 0 left out at random."""
    lines = ["\\data\\"]
    by_length = {n: [g for g in table if len(g) == n] for n in range(1, order + 1)}
    lines += [f"ngram {n}={len(grams)}" for n, grams in by_length.items()]
    for n, grams in by_length.items():
        lines.append(f"\\{n}-grams:")
        for gram in grams:
            probability, backoff = table[gram]
            ending = "" if backoff == 0 and draw(st.booleans()) else f"\t{backoff / LN10!r}"
            lines.append(f"{probability / LN10!r}\t{' '.join(gram)}{ending}")
    return "\n".join([*lines, "\\end\\", ""])


@st.composite
def torn_models(draw):
    """Backoff models with all words, but any n-grams whatever: prefixes and suffixes missing."""
    order = draw(st.integers(1, 4))
    words = ["<unk>", "<s>", "</s>", *"abc"]
    grams = {(word,) for word in words}
    if order > 1:
        inner = st.lists(st.sampled_from("abc"), min_size=2, max_size=order).map(tuple)
        begun = st.lists(st.sampled_from("abc"), min_size=1, max_size=order - 1).map(tuple)
        grams |= draw(st.sets(inner, max_size=8))
        grams |= {("<s>", *gram) for gram in draw(st.sets(begun, max_size=4))}
    logs = st.sampled_from([-0.25, -0.5, -1.0, -2.0, -3.5])
    table = {}
    for gram in sorted(grams, key=lambda gram: (len(gram), gram)):
        backoff = draw(st.sampled_from([0.0, -0.75, 0.5])) if len(gram) < order else 0.0
        table[gram] = draw(logs), backoff
    return table, order, arpa_text(table, order, draw)


@given(torn_models(), st.lists(st.sampled_from("abcx"), max_size=12))
def test_torn_models_score_as_the_recursion_says(tmp_path_factory, torn, words):
    table, order, text = torn
    path = tmp_path_factory.mktemp("torn") / "torn.arpa"
    path.write_text(text)
    model = LanguageModel.from_arpa(path)
    expected = sentence_logprobs(table, order, words)
    assert model.word_scores(words) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_a_file_is_the_same_in_pieces_of_any_size(tmp_path, monkeypatch, chunk):
    path = tmp_path / "model.arpa"
    write_arpa(estimate(*encoded(skewed_text(seed=3, n_sentences=15)), 3), path)
    whole = table_of(read_arpa(path))
    monkeypatch.setattr(arpa_module, "BYTES_AT_ONCE", chunk)
    assert table_of(read_arpa(path)) == whole
