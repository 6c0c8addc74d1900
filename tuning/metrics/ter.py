"""TER, translation edit rate (Snover et al. 2006), the same number that sacrebleu gives.

Edits (insertion, deletion, substitution, shift of a run of words) against the closest reference,
per word of the mean reference length.

Text is taken as it is, or with Tercom's own normalisation: for the tokeniser 13a the Western one,
for zh, char and ja-mecab also the one that splits Chinese characters. sacrebleu knows no other
tokenisers for TER. As in all metrics here, case counts unless told otherwise; sacrebleu's own
program ignores it by default.
"""

import numpy as np

from models.arrays import FloatArray
from tuning.metrics.base import Outputs
from tuning.metrics.ter_edits import fewest_edits
from tuning.metrics.wer import error_rate
from tuning.metrics.words import Batch, TextOptions, WordMetric

ASIAN = ("zh", "char", "ja-mecab")


class Ter(WordMetric):
    """Statistics: edits, mean reference length."""

    name = "TER"
    higher_is_better = False
    n_statistics = 2

    def __init__(self, options: TextOptions = TextOptions()) -> None:
        from sacrebleu.metrics.ter import TER

        super().__init__(options)  # refuses what other metrics would refuse
        self._sacrebleu = TER(
            normalized=options.tokenize != "none",
            asian_support=options.tokenize in ASIAN,
            case_sensitive=not options.lowercase,
        )
        self._sacrebleu.num_refs = options.n_references
        self._preprocess = lambda line: self._sacrebleu.tokenizer(line.rstrip())

    @property
    def signature(self) -> str:
        signature: str = self._sacrebleu.get_signature().format()
        return signature

    def statistics(self, outputs: Outputs) -> FloatArray:
        if self.options.tokenize != "none":
            # sacrebleu normalises references twice, which is not always the same as once
            references = [
                [self._preprocess(line) for line in group] for group in outputs.references
            ]
            outputs = Outputs(outputs.hypotheses, references)
        return super().statistics(outputs)

    def count(self, batch: Batch) -> FloatArray:
        rows = batch.rows
        edits = fewest_edits(rows.values, rows.offsets, batch.first_reference)
        return np.column_stack([edits, batch.mean_reference_lengths])

    def score(self, sums: FloatArray) -> FloatArray:
        return error_rate(sums[..., 0], sums[..., 1])
