"""N-gram language models: estimation from text, ARPA files, fast queries.

    text ──read_text──▶   word ids   ──estimate──▶ NGrams ──write_arpa──▶ ARPA file
                                                     │  ◀──read_arpa──
                                                     └──▶ LanguageModel (automaton) ◀──▶ folder

>>> from hyperbaton.foundation.arrays import Ragged
>>> from hyperbaton.foundation.files.vocabulary import Vocabulary
>>> import numpy as np
>>> vocabulary = Vocabulary(["a", "b"])
>>> text = Ragged(np.array([3, 4, 3], dtype=np.int32), np.array([0, 2, 3]))  # "a b" and "a"
>>> model = LanguageModel.from_ngrams(estimate(text, vocabulary, order=2))
>>> model.score(["a"]) > model.score(["b"])
True
"""

from hyperbaton.models.language_model.arpa import read_arpa, write_arpa
from hyperbaton.models.language_model.counting import read_text
from hyperbaton.models.language_model.estimation import estimate
from hyperbaton.models.language_model.kenlm_model import KenlmModel
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.language_model.ngrams import NGrams

__all__ = [
    "KenlmModel",
    "LanguageModel",
    "NGrams",
    "estimate",
    "read_arpa",
    "read_text",
    "write_arpa",
]
