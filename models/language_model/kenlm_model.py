"""Language models through KenLM, for files of its own binary format (and for ARPA files)."""

from collections.abc import Sequence
from pathlib import Path

import kenlm
import numpy as np

from models.arrays import FloatArray
from models.errors import DataError, missing_file
from models.language_model.log10 import from_log10


class KenlmModel:
    """Scores like `LanguageModel`: natural logarithms, unknown words are <unk>."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise missing_file(path)
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = kenlm.Model(str(path), config)
        except (OSError, RuntimeError) as error:
            reason = str(error.__cause__ or error).splitlines()[-1]
            raise DataError(
                f"KenLM refuses the file: {reason}",
                where=str(path),
                expected="an ARPA file, or a binary file of the same version of KenLM",
            ) from None

    @property
    def order(self) -> int:
        return int(self._model.order)

    def score(self, words: Sequence[str], begin: bool = True, end: bool = True) -> float:
        """log p of a sentence: after <s> if `begin`, with </s> if `end`."""
        return float(self.word_scores(words, begin, end).sum())

    def word_scores(self, words: Sequence[str], begin: bool = True, end: bool = True) -> FloatArray:
        """log p of each word, (words,) or, with `end`, (words + 1,)."""
        state, following = kenlm.State(), kenlm.State()
        if begin:
            self._model.BeginSentenceWrite(state)
        else:
            self._model.NullContextWrite(state)
        scores = []
        # word by word, because a whole sentence would be split at more than spaces
        for word in [*words, "</s>"] if end else words:
            scores.append(self._model.BaseScore(state, word, following))
            state, following = following, state
        return from_log10(np.array(scores, dtype=np.float64))
