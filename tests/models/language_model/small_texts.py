"""Small random texts, and the ways between them and our models."""

import random

from hypothesis import strategies as st

from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.language_model import NGrams
from tests.mapped_arrays import ragged
from tests.models.language_model.backoff_oracles import Table

sentences = st.lists(st.sampled_from("abcd"), max_size=6)
texts = st.lists(sentences, min_size=1, max_size=12).filter(any)
prunings = st.sampled_from([(0,), (0, 1), (0, 0, 1), (0, 1, 2)])


def encoded(text: list[list[str]]) -> tuple[Ragged, Vocabulary]:
    vocabulary = Vocabulary()
    return ragged([vocabulary.extend(sentence) for sentence in text]), vocabulary


def skewed_text(seed: int, n_sentences: int = 60) -> list[list[str]]:
    """Words as unequally frequent as in real text, so that discounts can be estimated."""
    chance = random.Random(seed)
    words = [f"w{i}" for i in range(40)]
    weights = [1 / (i + 1) for i in range(40)]
    return [chance.choices(words, weights, k=chance.randint(0, 9)) for _ in range(n_sentences)]


def table_of(ngrams: NGrams) -> Table:
    table = {}
    for length in range(1, ngrams.order + 1):
        nodes = slice(ngrams.starts[length], ngrams.starts[length + 1])
        rows = zip(ngrams.words(length), ngrams.logprob[nodes], ngrams.backoff[nodes], strict=True)
        for words, logprob, backoff in rows:
            table[tuple(ngrams.vocabulary.decode(words))] = float(logprob), float(backoff)
    return table
