"""Counts from shards of a text are those of the whole text, which `test_counting.py` checks."""

import shutil
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.arrays import GrowingRagged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.scratch import Scratch
from hyperbaton.foundation.work.workers import Crew
from hyperbaton.models.language_model import far_counting
from hyperbaton.models.language_model.counting import count_ngrams
from hyperbaton.models.language_model.far_counting import count_ngrams_far
from tests.far_threads import FarThreads
from tests.strategies import examples


def text_of(sentences):
    text = GrowingRagged()
    for sentence in sentences:
        text.add(sentence)
    return text.finish()


@given(
    st.lists(st.lists(st.integers(3, 6), max_size=6), min_size=1, max_size=12).filter(any),
    st.integers(1, 5),
    st.sampled_from([1, 500, 3000]),
)
@examples(0.3)
def test_ngrams_of_shards_are_those_of_the_text(sentences, order, memory):
    text = text_of(sentences)
    with (
        tempfile.TemporaryDirectory() as folder,
        FarThreads(2) as workers,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(far_counting, "FEWEST_TOKENS", 4)
        crew = Crew(workers, Path(folder) / "work")
        counted = count_ngrams_far(crew, text, 8, order, Scratch(Path(folder), memory))
        if memory == 1 and len(sentences) > 3:
            assert (crew.folder / "text-2").exists()  # there were several shards
    for name, values in vars(count_ngrams(text, 8, order)).items():
        np.testing.assert_array_equal(getattr(counted, name), values, strict=True)


def test_a_text_without_words_is_refused(tmp_path):
    with FarThreads(1) as workers, pytest.raises(DataError, match="the text has no words"):
        count_ngrams_far(Crew(workers, tmp_path), text_of([[], []]), 8, 3)


def test_what_32_bits_cannot_number_is_refused(tmp_path, monkeypatch):
    text = text_of([[3, 4, 5], [4, 3]])  # 6 unigrams and 7 bigrams, from node 1 on
    with FarThreads(1) as workers:
        counters = count_ngrams, partial(count_ngrams_far, Crew(workers, tmp_path))
        monkeypatch.setattr("hyperbaton.models.language_model.counting.MOST_NUMBERED", 14)
        assert [len(count(text, 8, 2).word) for count in counters] == [14, 14]
        monkeypatch.setattr("hyperbaton.models.language_model.counting.MOST_NUMBERED", 13)
        for count in counters:
            shutil.rmtree(tmp_path)
            tmp_path.mkdir()
            with pytest.raises(DataError, match=r"too many n-grams\n  expected at most 13\n"):
                count(text, 8, 2)
