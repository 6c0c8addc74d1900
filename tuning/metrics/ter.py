"""TER, translation edit rate (Snover et al. 2006), the same number that sacrebleu gives.

Edits (insertion, deletion, substitution, shift of a run of words) against the closest reference,
per word of the mean reference length.

Text is taken as it is, or with Tercom's own normalisation: for the tokeniser 13a the Western one,
for zh, char and ja-mecab also the one that splits Chinese characters. sacrebleu knows no other
tokenisers for TER. Like all metrics here it minds case unless told otherwise; sacrebleu's own
program does not unless told otherwise.
"""

import numpy as np

from models.arrays import FloatArray
from tuning.metrics.base import Metric, Outputs
from tuning.metrics.ter_edits import fewest_edits
from tuning.metrics.wer import error_rate
from tuning.metrics.words import Batch, TextOptions, batches, load_tokeniser

ASIAN = ("zh", "char", "ja-mecab")


class Ter(Metric):
    """Statistics: edits, mean reference length."""

    name = "TER"
    higher_is_better = False

    def __init__(self, options: TextOptions = TextOptions()) -> None:
        from sacrebleu.metrics.ter import TER

        load_tokeniser(options.tokenize)  # refuses what other metrics would refuse
        self.options = options
        self._sacrebleu = TER(
            normalized=options.tokenize != "none",
            asian_support=options.tokenize in ASIAN,
            case_sensitive=not options.lowercase,
        )
        self._sacrebleu.num_refs = options.n_references

    @property
    def signature(self) -> str:
        signature: str = self._sacrebleu.get_signature().format()
        return signature

    def _preprocess(self, line: str) -> str:
        result: str = self._sacrebleu.tokenizer(line.rstrip())
        return result

    def statistics(self, outputs: Outputs) -> FloatArray:
        if self.options.tokenize != "none":
            # sacrebleu normalises references twice, which is not always the same as once
            references = [
                [self._preprocess(line) for line in group] for group in outputs.references
            ]
            outputs = Outputs(outputs.hypotheses, references)
        parts = [self._batch(batch) for batch in batches(outputs, self._preprocess)]
        return np.concatenate([np.zeros((0, 2)), *parts])

    def _batch(self, batch: Batch) -> FloatArray:
        rows = batch.rows
        edits = fewest_edits(rows.values, rows.offsets, batch.first_reference)
        lengths = np.add.reduceat(batch.references.lengths, batch.first_reference[:-1])
        return np.column_stack([edits, lengths / np.diff(batch.first_reference)])

    def score(self, sums: FloatArray) -> FloatArray:
        return error_rate(sums[..., 0], sums[..., 1])
