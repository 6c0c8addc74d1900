"""Tests whether tuning on small development sets does harm: test scores before and after.

    python -m tools.benchmarks.small_sets MODEL --pool ja en --test ja en [--sizes 100 200 500]

Draws `--draws` development sets of each size at random, without replacement, from the sentences of
`--pool`, which must not be training data of the system. Each tuning starts from the system's
weights and works like `hyperbaton tune`; the system itself is not changed. The test set is decoded
before and after. p is that of a one-sided paired bootstrap; a tuning that makes the test set worse
with p below 0.05 is marked and makes the command fail. (Of twenty tunings without any effect, one
would be marked by chance.)
"""

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.evaluation.data_sets import DataSet, Sentences, load
from hyperbaton.tuning.evaluation.significance import SIGNIFICANT, paired_bootstrap
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.weights.loop import decode
from hyperbaton.tuning.weights.protocol import tune_replicas
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.task import TuningTask


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--pool", type=Path, nargs=2, required=True)
    parser.add_argument("--test", type=Path, nargs=2, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 200, 500])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--replicas", type=int, default=TuneSettings.replicas)
    parser.add_argument("--distortion-limit", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    search = SearchSettings(distortion_limit=given.distortion_limit)
    translator = Translator.load(given.model, search)
    pool, test = (load(DataSet(source, (text,))) for source, text in (given.pool, given.test))
    settings = TuneSettings(replicas=given.replicas)
    judge = TuningTask(translator, test, settings, threads=given.threads)
    old = statistics(judge, translator.weights)
    print(f"{given.model}: {Bleu().score(old.sum(axis=0)):.2f} BLEU before tuning")
    print(f"{'sentences':>9}{'draw':>6}{'kept':>6}{'BLEU':>8}{'change':>8}{'p':>7}{'CPU s':>7}")
    harm = 0
    for size in given.sizes:
        for number in range(1, given.draws + 1):
            began = time.process_time()
            dev = drawn(pool, size, number)
            result = tune_replicas(TuningTask(translator, dev, settings, threads=given.threads))
            new = statistics(judge, result.weights)
            found = paired_bootstrap(Bleu(), [old], [new])
            worse = found.difference < 0 and found.p_value < SIGNIFICANT
            harm += worse
            kept = "new" if result.gained else "old"
            print(
                f"{size:>9}{number:>6}{kept:>6}{found.system:>8.2f}{found.difference:>+8.2f}"
                f"{found.p_value:>7.3f}{time.process_time() - began:>7.0f}{' worse' * worse}",
                flush=True,
            )
    print(f"significantly worse: {harm} of {len(given.sizes) * given.draws}")
    return min(harm, 1)


def drawn(pool: Sentences, size: int, number: int) -> Sentences:
    rows = np.random.default_rng([size, number]).permutation(len(pool))[:size].tolist()
    sources, references = ([part[row] for row in rows] for part in (pool.sources, pool.references))
    return replace(pool, name="dev", sources=sources, references=references)


def statistics(judge: TuningTask, weights: Mapping[str, float]) -> FloatArray:
    """The statistics of BLEU on the test set, one row per sentence."""
    found, _ = decode(judge, weights, n_best=1)
    return found.statistics(found.offsets[:-1], Bleu(), judge.dev)


if __name__ == "__main__":
    sys.exit(main())
