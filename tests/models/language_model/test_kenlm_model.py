import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.errors import DataError
from hyperbaton.models.language_model import KenlmModel, LanguageModel, estimate, write_arpa
from tests.models.language_model.small_texts import encoded, prunings, skewed_text, texts
from tests.refusals import refused


def both(folder, ngrams):
    write_arpa(ngrams, folder / "model.arpa")
    return LanguageModel.from_ngrams(ngrams), KenlmModel(folder / "model.arpa")


@given(texts, st.integers(2, 5), prunings, st.lists(st.sampled_from("abcdx"), max_size=12))
def test_kenlm_reads_what_we_write_and_agrees(tmp_path_factory, text, order, prune, words):
    ngrams = estimate(*encoded(text), order, prune[:order])
    ours, theirs = both(tmp_path_factory.mktemp("kenlm"), ngrams)
    for begin in (True, False):
        for end in (True, False):
            scores = theirs.word_scores(words, begin, end)
            assert ours.word_scores(words, begin, end) == pytest.approx(scores, abs=1e-4)


def test_kenlm_agrees_on_a_larger_text(tmp_path):
    ours, theirs = both(tmp_path, estimate(*encoded(skewed_text(seed=1, n_sentences=300)), 5))
    assert ours.order == theirs.order == 5
    for words in skewed_text(seed=2):
        words = [*words, "unheard", *words[:2]]
        assert ours.word_scores(words) == pytest.approx(theirs.word_scores(words), abs=1e-4)
        assert ours.score(words) == pytest.approx(theirs.score(words), abs=1e-3)


def test_loading_is_silent(tmp_path, capfd):
    both(tmp_path, estimate(*encoded([["a"]]), 2))
    assert capfd.readouterr() == ("", "")


def test_a_missing_file_is_named(tmp_path):
    refused("no.arpa: no such file", lambda: KenlmModel(tmp_path / "no.arpa"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"garbage\n", r'first non-empty line was "garbage" not \\data\\'),
        (b"\\data\\\nngram 1=9\nngram 2=1\n\n\\1-grams:\n-1\t<s>\n", "End of file"),
        (b"mmap lm http://kheafield.com/code format version 4\n\0", ""),
    ],
)
def test_files_that_kenlm_refuses(write, content, reason):
    expected = rf"bad\.lm: KenLM refuses the file: .*{reason}.*\n  an ARPA file, or a binary file"
    with pytest.raises(DataError, match=expected):
        KenlmModel(write("bad.lm", content))
