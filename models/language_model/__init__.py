"""N-gram language models: estimated from text, read and written as ARPA files, asked fast.

    text ──read_text──▶ word numbers ──estimate──▶ NGrams ──write_arpa──▶ ARPA file
                                                     │  ◀──read_arpa──
                                                     └──▶ LanguageModel (automaton) ◀──▶ folder

>>> from models.arrays import Ragged
>>> from models.data.vocabulary import Vocabulary
>>> import numpy as np
>>> vocabulary = Vocabulary(["a", "b"])
>>> text = Ragged(np.array([3, 4, 3], dtype=np.int32), np.array([0, 2, 3]))  # "a b" and "a"
>>> model = LanguageModel.from_ngrams(estimate(text, vocabulary, order=2))
>>> model.score(["a"]) > model.score(["b"])
True
"""

from models.language_model.arpa_reading import read_arpa
from models.language_model.arpa_writing import write_arpa
from models.language_model.estimation import estimate
from models.language_model.kenlm_model import KenlmModel
from models.language_model.model import LanguageModel
from models.language_model.ngrams import MAX_ORDER, NGrams
from models.language_model.text_reading import read_text

__all__ = [
    "MAX_ORDER",
    "KenlmModel",
    "LanguageModel",
    "NGrams",
    "estimate",
    "read_arpa",
    "read_text",
    "write_arpa",
]
