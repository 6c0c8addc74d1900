"""Confidence intervals of scores and significance tests of differences, for every metric.

* `interval` of `resampled_scores`: bootstrap percentiles (Koehn 2004).
* `paired_bootstrap` (Koehn 2004): scores both systems on the same resamples of the test set; p is
  the share in which the better system does not win. One-sided: "is it really better?"
* `randomisation` (Riezler and Maxwell 2005): exchanges the outputs of each sentence between the
  systems with probability 1/2; p is the share in which the difference is at least as large, in
  either direction, as the real one. Two-sided: "do they differ?"

If a system was tuned several times, its score is the mean of its runs. The bootstrap draws runs as
well as sentences; n runs drawn from n vary less than n new ones, by the factor (n − 1)/n in
variance, so their deviation from the mean is enlarged by √(n/(n − 1)). Randomisation exchanges the
outputs of a sentence among all runs of both systems (Clark et al. 2011), which averages over the
given runs but does not generalise to new ones.

All p-values are (k + 1) / (n + 1) for k such cases among n, so they are never 0, and 1 for equal
systems. Metrics enter through their additive statistics, (n_sentences, n_statistics). Equal seeds
draw the same sentences, whatever the metric: several metrics and systems are tested on the same
resamples. Comparing many systems with one baseline needs a stricter level; `verdicts.py` makes this
correction.

A resample is a vector of counts per sentence, and a random exchange of two systems is a vector of
zeros and ones, so all sums are one matrix product. Matrices are built in chunks of bounded memory;
the draws depend only on the seed and the number of sentences, not on the chunks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int64Array
from hyperbaton.foundation.errors import DataError, SettingError, check_known
from hyperbaton.tuning.metrics.base import Metric

RESAMPLES = 1000
SEED = 1
LEVEL = 0.95
NUMBERS_AT_ONCE = 1 << 22  # elements of a matrix: 32 MB
SIGNIFICANT = 0.05  # p below it is called significant
_ROUNDING = 1e-9  # smaller differences of scores are rounding errors
Runs = Sequence[FloatArray]  # the statistics of each tuning run, (n_sentences, n_statistics)


@dataclass(frozen=True)
class Difference:
    """A system against a baseline; differences are system − baseline, whichever way is better.

    If a system was tuned several times, its score is the mean of the runs.
    """

    baseline: float
    system: float
    p_value: float

    @property
    def difference(self) -> float:
        return self.system - self.baseline


def paired_bootstrap(
    metric: Metric,
    baseline: Runs,
    system: Runs,
    *,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    shift: float = 0.0,
) -> Difference:
    """With a shift, the test is whether difference + shift has the sign that was found."""
    _check(baseline, system, n_resamples)
    drawn = resampled_scores(metric, [*baseline, *system], n_resamples=n_resamples, seed=seed)
    first, second = drawn[: len(baseline)], drawn[len(baseline) :]
    resampled = mean_of_runs(second, seed, 1) - mean_of_runs(first, seed, 0)
    before, after = _mean_score(metric, baseline), _mean_score(metric, system)
    p_value = bootstrap_p_value(after - before + shift, resampled + shift)
    return Difference(before, after, p_value)


def mean_of_runs(resampled: Sequence[FloatArray], seed: int, system: int) -> FloatArray:
    """A system's score in every resample, (n_resamples,): the mean of runs drawn with replacement.
    `system` is its number, because systems draw independently of each other."""
    scores = np.stack(resampled)  # (runs, n_resamples)
    n_runs, n_resamples = scores.shape
    mean: FloatArray = scores.mean(axis=0)
    if n_runs == 1:
        return mean
    random = np.random.default_rng([seed, system])
    drawn = random.integers(n_runs, size=(n_runs, n_resamples))
    deviation = np.take_along_axis(scores, drawn, axis=0).mean(axis=0) - mean
    mean += np.sqrt(n_runs / (n_runs - 1)) * deviation
    return mean


def interval(scores: FloatArray, level: float = LEVEL) -> tuple[float, float]:
    """The interval that contains the middle `level` of the resampled scores."""
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_p_value(difference: float, resampled: FloatArray) -> float:
    """The share of resamples in which the better system does not win."""
    return _p_value(np.sign(difference) * resampled <= _ROUNDING)


def randomisation(
    metric: Metric, baseline: Runs, system: Runs, *, n_resamples: int = RESAMPLES, seed: int = SEED
) -> Difference:
    _check(baseline, system, n_resamples)
    before, after = _mean_score(metric, baseline), _mean_score(metric, system)
    random = _exchanged if len(baseline) == len(system) == 1 else _permuted
    differences = random(metric, baseline, system, n_resamples, seed)
    as_large = np.abs(differences) >= abs(after - before) - _ROUNDING
    return Difference(before, after, _p_value(as_large))


def _exchanged(
    metric: Metric, baseline: Runs, system: Runs, n_resamples: int, seed: int
) -> FloatArray:
    """Differences of single runs after random exchanges, (n_resamples,)."""
    [first], [second] = baseline, system
    masks = exchanges(len(first), n_resamples, seed)
    exchanged = np.concatenate([mask @ (second - first) for mask in masks])
    differences: FloatArray = metric.score(second.sum(axis=0) - exchanged) - metric.score(
        first.sum(axis=0) + exchanged
    )
    return differences


def _permuted(
    metric: Metric, baseline: Runs, system: Runs, n_resamples: int, seed: int
) -> FloatArray:
    """Differences of mean scores after random permutations of all runs, (n_resamples,)."""
    runs = np.stack([*baseline, *system], axis=1)  # (n_sentences, runs, n_statistics)
    shuffled = np.stack(
        [
            np.take_along_axis(runs, order[:, :, None], axis=1).sum(axis=0)
            for order in permutations(len(runs), runs.shape[1], n_resamples, seed)
        ]
    )  # (n_resamples, runs, n_statistics)
    scores = metric.score(shuffled)
    n_first = len(baseline)
    means: FloatArray = scores[:, n_first:].mean(axis=1) - scores[:, :n_first].mean(axis=1)
    return means


TESTS: dict[str, Callable[..., Difference]] = {
    "bootstrap": paired_bootstrap,
    "randomisation": randomisation,
}


def find_test(name: str) -> Callable[..., Difference]:
    check_known("test", name, TESTS)
    return TESTS[name]


def resampled_scores(
    metric: Metric, systems: Sequence[FloatArray], *, n_resamples: int = RESAMPLES, seed: int = SEED
) -> list[FloatArray]:
    """The scores of all systems on the same resamples of the sentences, (n_resamples,) each."""
    _check(systems, systems, n_resamples)
    parts: list[list[FloatArray]] = [[] for _ in systems]
    for counts in resampling_counts(len(systems[0]), n_resamples, seed):
        for part, statistics in zip(parts, systems, strict=True):
            part.append(metric.score(counts @ statistics))
    return [np.concatenate(part) for part in parts]


def resampling_counts(n_sentences: int, n_resamples: int, seed: int) -> Iterator[FloatArray]:
    """Counts of each sentence in each resample with replacement, (some, n_sentences) at a time."""
    random = np.random.default_rng(seed)
    for n in _chunks(n_sentences, n_resamples):
        drawn = random.integers(n_sentences, size=(n, n_sentences))
        drawn += np.arange(n)[:, None] * n_sentences
        counts = np.bincount(drawn.ravel(), minlength=n * n_sentences)
        yield counts.reshape(n, n_sentences).astype(np.float64)


def exchanges(n_sentences: int, n_resamples: int, seed: int) -> Iterator[FloatArray]:
    """1 where two systems exchange a sentence, else 0, (some, n_sentences) at a time."""
    random = np.random.default_rng(seed)
    for n in _chunks(n_sentences, n_resamples):
        yield random.integers(2, size=(n, n_sentences), dtype=np.int8).astype(np.float64)


def permutations(
    n_sentences: int, n_replicas: int, n_resamples: int, seed: int
) -> Iterator[Int64Array]:
    """For each resample and sentence a random order of the replicas, (n_sentences, n_replicas)."""
    random = np.random.default_rng(seed)
    for _ in range(n_resamples):
        yield np.argsort(random.random((n_sentences, n_replicas)), axis=1)


def _chunks(n_sentences: int, n_resamples: int) -> Iterator[int]:
    size = max(1, NUMBERS_AT_ONCE // max(1, n_sentences))
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


def _check(baseline: Runs, system: Runs, n_resamples: int) -> None:
    if n_resamples < 1:
        raise SettingError(f"{n_resamples} resamples", expected="at least one; 1,000 are usual")
    if not baseline or not system:
        raise DataError("a system has no runs", expected="each needs at least one")
    lengths = sorted({len(statistics) for statistics in (*baseline, *system)})
    if len(lengths) > 1:
        raise DataError(
            f"one system has {lengths[0]} sentences, another {lengths[-1]}",
            expected="all must have translated the same sentences",
        )
    if lengths == [0]:
        raise DataError("there are no sentences to resample")


def p_text(p_value: float, n_resamples: int = 0) -> str:
    """`p 0.032`, or `p ≤ 0.001` if it is as small as the number of resamples allows."""
    if n_resamples and p_value <= 1 / (n_resamples + 0.5):
        return f"p ≤ {1 / (n_resamples + 1):.1g}"
    return "p < 0.001" if p_value < 0.0005 else f"p {p_value:.3f}"


def _mean_score(metric: Metric, runs: Runs) -> float:
    return float(np.mean([metric.score(statistics.sum(axis=0)) for statistics in runs]))


def _p_value(cases: BoolArray) -> float:
    return float((np.count_nonzero(cases) + 1) / (len(cases) + 1))
