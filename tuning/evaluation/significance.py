"""Confidence in scores and in differences between scores, for every metric.

* `interval` of `resampled_scores`: bootstrap percentiles (Koehn 2004).
* `paired_bootstrap` (Koehn 2004): both systems are scored on the same resamples of the test set; p
  is the share in which the better system does not win. One-sided: "is it really better?"
* `randomisation` (Riezler and Maxwell 2005): each sentence's outputs change systems with
  probability 1/2; p is the share in which the difference is at least as large, in either
  direction, as the real one. Two-sided: "do they differ?"
* `replicated_randomisation` (Clark et al. 2011): the same for systems that were tuned several
  times; a sentence's outputs are exchanged among all replicas of both.

All p-values are (k + 1) / (n + 1) for k such cases among n, so they are never 0, and 1 for equal
systems. Metrics are seen through their additive statistics, (n_sentences, n_statistics). Equal
seeds draw the same sentences, whatever the metric: several metrics and systems are tested on
the same resamples. Comparing many systems with one baseline needs a stricter level; no correction
is made here.

A resample is a vector that counts how often it holds each sentence, a random exchange of two
systems a vector of zeros and ones, so the sums of all of them are one matrix product. Matrices are
made in chunks of bounded memory; the draws depend only on the seed and the number of sentences,
never on the chunks or on what is summed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from models.arrays import BoolArray, FloatArray, Int64Array
from models.errors import DataError, SettingError, nearest
from tuning.metrics.base import Metric

RESAMPLES = 1000
SEED = 1
LEVEL = 0.95
CHUNK = 1 << 22  # numbers in one matrix: 32 MB
SIGNIFICANT = 0.05  # p below it is called significant
_ROUNDING = 1e-9  # smaller differences of scores are rounding errors


@dataclass(frozen=True)
class Difference:
    """A system against a baseline; differences are system − baseline, whichever way is better.

    If a system was tuned several times, its score is the mean of the runs.
    """

    baseline: float
    system: float
    p_value: float
    baseline_deviation: float = nan  # of the sample of runs, NaN for a single run
    system_deviation: float = nan

    @property
    def difference(self) -> float:
        return self.system - self.baseline


def paired_bootstrap(
    metric: Metric,
    baseline: FloatArray,
    system: FloatArray,
    *,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Difference:
    scores = resampled_scores(metric, [baseline, system], n_resamples=n_resamples, seed=seed)
    before, after = (float(metric.score(part.sum(axis=0))) for part in (baseline, system))
    return Difference(before, after, bootstrap_p_value(after - before, scores[1] - scores[0]))


def interval(scores: FloatArray, level: float = LEVEL) -> tuple[float, float]:
    """Where the middle `level` of the resampled scores lies."""
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_p_value(difference: float, resampled: FloatArray) -> float:
    """The share of resamples in which the better system does not win."""
    return _p_value(np.sign(difference) * resampled <= _ROUNDING)


def randomisation(
    metric: Metric,
    baseline: FloatArray,
    system: FloatArray,
    *,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Difference:
    _check([baseline, system], n_resamples)
    sums = baseline.sum(axis=0), system.sum(axis=0)
    before, after = (float(metric.score(part)) for part in sums)
    exchanged = np.concatenate(
        [mask @ (system - baseline) for mask in exchanges(len(system), n_resamples, seed)]
    )
    differences = metric.score(sums[1] - exchanged) - metric.score(sums[0] + exchanged)
    as_large = np.abs(differences) >= abs(after - before) - _ROUNDING
    return Difference(before, after, _p_value(as_large))


def replicated_randomisation(
    metric: Metric,
    baseline: Sequence[FloatArray],
    system: Sequence[FloatArray],
    *,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Difference:
    """From the statistics of every tuning run; the systems may have different numbers of runs."""
    if not baseline or not system:
        raise DataError("a system without any run", expected="each needs at least one")
    _check([*baseline, *system], n_resamples)
    runs = np.stack([*baseline, *system], axis=1)  # (n_sentences, runs, n_statistics)
    n_first = len(baseline)
    shuffled = np.stack(
        [
            np.take_along_axis(runs, order[:, :, None], axis=1).sum(axis=0)
            for order in permutations(len(runs), runs.shape[1], n_resamples, seed)
        ]
    )  # (n_resamples, runs, n_statistics)
    random_scores = metric.score(shuffled)
    differences = random_scores[:, n_first:].mean(axis=1) - random_scores[:, :n_first].mean(axis=1)
    before, after = np.split(metric.score(runs.sum(axis=0)), [n_first])
    as_large = np.abs(differences) >= abs(after.mean() - before.mean()) - _ROUNDING
    means = float(before.mean()), float(after.mean())
    return Difference(*means, _p_value(as_large), _deviation(before), _deviation(after))


TESTS: dict[str, Callable[..., Difference]] = {
    "bootstrap": paired_bootstrap,
    "randomisation": randomisation,
}


def find_test(name: str) -> Callable[..., Difference]:
    if name not in TESTS:
        raise SettingError(f"there is no test {name!r}", expected=nearest(name, list(TESTS)))
    return TESTS[name]


def resampled_scores(
    metric: Metric,
    systems: Sequence[FloatArray],
    *,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[FloatArray]:
    """The scores of all systems on the same resamples of the sentences, (n_resamples,) each."""
    _check(systems, n_resamples)
    parts: list[list[FloatArray]] = [[] for _ in systems]
    for counts in resampling_counts(len(systems[0]), n_resamples, seed):
        for part, statistics in zip(parts, systems, strict=True):
            part.append(metric.score(counts @ statistics))
    return [np.concatenate(part) for part in parts]


def resampling_counts(n_sentences: int, n_resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each resample with replacement has each sentence, (some, n_sentences) at a time."""
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
    size = max(1, CHUNK // max(1, n_sentences))
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


def _check(systems: Sequence[FloatArray], n_resamples: int) -> None:
    if n_resamples < 1:
        raise SettingError(f"{n_resamples} resamples", expected="at least one; 1,000 are usual")
    lengths = sorted({len(statistics) for statistics in systems})
    if len(lengths) > 1:
        raise DataError(
            f"one system has {lengths[0]} sentences, another {lengths[-1]}",
            expected="all must have translated the same sentences",
        )
    if lengths == [0]:
        raise DataError("there are no sentences to resample")


def _p_value(cases: BoolArray) -> float:
    return float((np.count_nonzero(cases) + 1) / (len(cases) + 1))


def _deviation(scores: FloatArray) -> float:
    return float(scores.std(ddof=1)) if len(scores) > 1 else nan
