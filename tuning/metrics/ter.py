"""TER, translation edit rate (Snover et al. 2006), equal to the score of sacrebleu.

Edits (insertion, deletion, substitution, shift of a run of words) against the closest reference,
per word of the mean reference length.

The shift that lowers the edit distance most is made, at the cost of one edit, as long as one helps.
Which shifts are tried, how far they go, how ties are broken, and the limits below follow Tercom as
implemented in sacrebleu. A shift takes a run of hypothesis words that occurs in the reference but
is wrong in its position, and moves it to the hypothesis position aligned with (the word before)
that occurrence:

    hypothesis   d a b c      the run d is reference word 3, aligned with hypothesis word 3,
    reference    a b c d      and goes after it: a b c d, one edit instead of two

Text is used as it is, or with Tercom's normalisation: for the tokeniser 13a the Western one, for
zh, char and ja-mecab also the one that splits Chinese characters. sacrebleu has no other tokenisers
for TER. As in all metrics here, case counts by default; sacrebleu's command line ignores it.
"""

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.wer import error_rate
from hyperbaton.tuning.metrics.words import Batch, TextOptions, WordMetric

ASIAN = ("zh", "char", "ja-mecab")
LONGEST_SHIFT = 10  # words
FARTHEST_SHIFT = 50  # words
MOST_SHIFTS = 1000  # tried per sentence
BEAM = 25  # cells of the table on each side of its diagonal
_INFINITE = 1 << 50
_KEEP, _SUBSTITUTE, _INSERT, _DELETE = 0, 1, 2, 3  # how a cell of the table was reached


class Ter(WordMetric):
    """Statistics: edits, mean reference length."""

    name = "TER"
    higher_is_better = False
    n_statistics = 2

    def __init__(self, options: TextOptions = TextOptions()) -> None:
        from sacrebleu.metrics.ter import TER

        super().__init__(options)  # checks the options as for other metrics
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
            # sacrebleu normalises references twice, which may differ from once
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


@kernel
def fewest_edits(values, offsets, first_reference):
    """The number of edits of each sentence to its closest reference, (n_sentences,).

    Rows are all hypotheses, then all references.
    """
    n_sentences = len(first_reference) - 1
    result = np.empty(n_sentences)
    for sentence in range(n_sentences):
        hypothesis = values[offsets[sentence] : offsets[sentence + 1]]
        fewest = _INFINITE
        for reference in range(first_reference[sentence], first_reference[sentence + 1]):
            row = n_sentences + reference
            edits = count_edits(hypothesis, values[offsets[row] : offsets[row + 1]])
            fewest = min(fewest, edits)
        result[sentence] = fewest
    return result


@inner
def count_edits(hypothesis, reference):
    """The number of shifts plus the edit distance after them."""
    if len(reference) == 0:
        return len(hypothesis)
    words = hypothesis.copy()
    shifted = np.empty_like(words)
    steps = np.zeros((len(words) + 1, len(reference) + 1), np.int8)
    n_shifts = n_seen = 0
    while True:
        distance = _edit_distance(words, reference, steps)
        gain, start, length, target, n_seen = _best_shift(
            words, reference, distance, steps, shifted, n_seen
        )
        if n_seen >= MOST_SHIFTS or gain <= 0:
            return n_shifts + distance
        _shift(words, start, length, target, shifted)
        words[:] = shifted
        n_shifts += 1


@inner
def _best_shift(words, reference, distance, steps, shifted, n_seen):
    """The best shift: its gain, start, length and target; and the number of shifts tried so far."""
    aligned, wrong_here, wrong_there = _trace(steps, len(words), len(reference))
    zero = np.int64(0)
    # by gain, then the longest run, then the leftmost start, then the leftmost target
    best = (-_INFINITE, zero, zero, zero)
    nothing = np.zeros((0, 0), np.int8)
    for start in range(len(words)):
        first = max(0, start - FARTHEST_SHIFT)
        for there in range(first, min(len(reference), start + FARTHEST_SHIFT + 1)):
            limit = min(LONGEST_SHIFT, len(words) - start, len(reference) - there)
            here_is_wrong = there_is_wrong = False
            for length in range(1, limit + 1):
                if words[start + length - 1] != reference[there + length - 1]:
                    break
                here_is_wrong |= wrong_here[start + length - 1]
                there_is_wrong |= wrong_there[there + length - 1]
                if not here_is_wrong or not there_is_wrong:
                    continue
                if start <= aligned[there] < start + length:  # would move into itself
                    continue
                previous = -1
                for place in range(there - 1, there + length):
                    target = 0 if place < 0 else aligned[place] + 1
                    if target == previous:
                        continue
                    previous = target
                    _shift(words, start, length, target, shifted)
                    gain = distance - _edit_distance(shifted, reference, nothing)
                    candidate = (gain, length, -start, -target)
                    if candidate > best:
                        best = candidate
                    n_seen += 1
                if n_seen >= MOST_SHIFTS:
                    return best[0], -best[2], best[1], -best[3], n_seen
    return best[0], -best[2], best[1], -best[3], n_seen


@inner
def _shift(words, start, length, target, shifted):
    """Moves a run to before the word `target`; a target inside or just after the run means that
    many words after its start."""
    end = start + length
    if start <= target <= end:
        target += length
    if target < start:
        shifted[:target] = words[:target]
        shifted[target : target + length] = words[start:end]
        shifted[target + length : end] = words[target:start]
        shifted[end:] = words[end:]
    else:
        target = min(target, len(words))
        shifted[:start] = words[:start]
        shifted[start : target - length] = words[end:target]
        shifted[target - length : target] = words[start:end]
        shifted[target:] = words[target:]


@inner
def _edit_distance(words, reference, steps):
    """Edit distance in a band around the diagonal; `steps`, unless empty, records the path."""
    n, m = len(words), len(reference)
    ratio = m / n if n else 1.0
    beam = BEAM if ratio / 2 <= BEAM else int(np.ceil(ratio / 2 + BEAM))
    before = np.arange(m + 1)
    now = np.empty(m + 1, np.int64)
    filled = m + 1  # the previous row is filled up to here
    keep = steps.size > 0
    if keep:
        steps[0, :] = _INSERT
    for i in range(1, n + 1):
        diagonal = int(np.floor(i * ratio))
        low = max(0, diagonal - beam)
        high = m + 1 if i == n else min(m + 1, diagonal + beam)
        before[filled:high] = _INFINITE  # outside the band
        if low:
            now[low - 1] = _INFINITE
        filled = high
        for j in range(low, high):
            cost, step = before[j] + 1, _DELETE
            if j:
                differ = words[i - 1] != reference[j - 1]
                # ties: match or substitution first, then deletion, then insertion
                if before[j - 1] + differ <= cost:
                    cost, step = before[j - 1] + differ, _SUBSTITUTE if differ else _KEEP
                if now[j - 1] + 1 < cost:
                    cost, step = now[j - 1] + 1, _INSERT
            now[j] = cost
            if keep:
                steps[i, j] = step
        before, now = now, before
    return before[m]


@inner
def _trace(steps, n, m):
    """The hypothesis word aligned with every reference word, or the one before it; and which words
    of both sides are unmatched."""
    aligned = np.empty(m, np.int64)
    wrong_here = np.ones(n, np.bool_)
    wrong_there = np.ones(m, np.bool_)
    i, j = n, m
    while i > 0 or j > 0:
        step = steps[i, j]
        if step == _DELETE:
            i -= 1
            continue
        j -= 1
        if step != _INSERT:
            i -= 1
            wrong_here[i] = wrong_there[j] = step == _SUBSTITUTE
            aligned[j] = i
        else:
            aligned[j] = i - 1
    return aligned, wrong_here, wrong_there
