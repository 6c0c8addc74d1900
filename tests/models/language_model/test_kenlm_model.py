import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.errors import DataError
from hyperbaton.models.language_model import (
    KenlmModel,
    LanguageModel,
    estimate,
    kenlm_model,
    write_arpa,
)
from hyperbaton.models.language_model.stepping import score_words, step
from tests.models.language_model.small_texts import encoded, prunings, skewed_text, texts
from tests.refusals import refused

KENLM = Path(__file__).parent / "kenlm"


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


@pytest.mark.parametrize(
    ("kind", "tolerance"), [("probing", 1e-6), ("trie", 1e-6), ("quantised", 1e-2)]
)
def test_binaries_score_as_the_arpa_file(kind, tolerance):
    ours, theirs = LanguageModel.from_arpa(KENLM / "lm.arpa"), KenlmModel(KENLM / f"{kind}.kenlm")
    assert theirs.order == 3
    for text in ("he bought a house", "the teacher read a zeppelin", "a a a", ""):
        words = text.split()
        for begin, end in itertools.product([True, False], repeat=2):
            expected = ours.word_scores(words, begin, end)
            assert theirs.word_scores(words, begin, end) == pytest.approx(expected, abs=tolerance)


def test_states_are_forgotten_when_there_are_too_many(monkeypatch):
    model = KenlmModel(KENLM / "probing.kenlm")
    words = ["the", "teacher", "bought", "a", "newspaper"]
    expected = model.word_scores(words)
    speaker = model.speaker(np.ones(1))
    numbers = model.encode(words)
    assert not speaker.forgets()
    for _ in range(2):
        scores = score_words(speaker.lm, numbers, np.array([0, 5]), speaker.begin_state, True)
        assert scores == pytest.approx(expected)
        with monkeypatch.context() as context:
            context.setattr(kenlm_model, "MOST_STATES", 2)
            assert speaker.forgets()
            assert not speaker.forgets()


def test_what_goes_wrong_in_an_answer_is_raised_afterwards():
    model = KenlmModel(KENLM / "probing.kenlm")
    speaker = model.speaker(np.ones(1))
    step(speaker.lm, speaker.begin_state, 99)  # no such word
    with pytest.raises(IndexError):
        speaker.check()
    speaker.check()
    logprob, _ = step(speaker.lm, speaker.begin_state, model.encode(["he"])[0])
    assert logprob == pytest.approx(model.word_scores(["he"], end=False)[0])


def test_only_known_words_get_numbers():
    model = KenlmModel(KENLM / "probing.kenlm")
    assert model.encode(["zeppelin", "a", "zeppelin", "book", "a"]).tolist() == [0, 3, 0, 4, 3]


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
    expected = rf"bad\.lm: KenLM cannot load the file: .*{reason}.*\n  expected an ARPA file, or a"
    with pytest.raises(DataError, match=expected):
        KenlmModel(write("bad.lm", content))
