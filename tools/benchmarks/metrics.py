"""Times of metrics and significance tests: metrics.py [LINES] (default: 100,000).

Prints the time of statistics of a random text, compared with sacrebleu in the same process if
sacrebleu has the metric (TER on a hundredth of the text), and the time of 1,000 resamples of 2,000
sentences with six metrics.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from hyperbaton.tuning.evaluation.significance import (
    paired_bootstrap,
    randomisation,
    resampled_scores,
)
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.catalogue import make_metrics

N_WORDS = 20_000  # types
SIX = ("bleu", "chrf", "ter", "nist", "wer", "meteor-exact-stem")


def main(n_lines: int) -> None:
    references, hypotheses = random_text(n_lines)
    outputs = Outputs(hypotheses, [[line] for line in references])
    small = Outputs(hypotheses[:5], outputs.references[:5])
    hundredth = Outputs(hypotheses[: n_lines // 100], outputs.references[: n_lines // 100])
    metrics = make_metrics((*SIX, "bleu-1", "per", "ribes"), outputs.references)
    theirs: dict[str, BLEU | CHRF | TER] = {
        "BLEU": BLEU(tokenize="none", force=True),
        "chrF": CHRF(),
        "TER": TER(),
    }
    print(f"{n_lines:,} lines, {sum(map(len, map(str.split, references))):,} reference words\n")
    print(f"{'statistics':<20}{'seconds':>8}   sacrebleu")
    for metric in metrics:
        metric.statistics(small)  # compiles
        seconds = timed(lambda metric=metric: metric.statistics(outputs))  # type: ignore[misc]
        print(f"{metric.name:<20}{seconds:>8.2f}", end="")
        if metric.name in theirs:
            part = hundredth if metric.name == "TER" else outputs
            print(f"   {ratio(metric, theirs[metric.name], part)}", end="")
        print()
    significance(outputs)


def ratio(ours: Metric, theirs: BLEU | CHRF | TER, outputs: Outputs) -> str:
    streams = [[group[0] for group in outputs.references]]
    own = timed(lambda: ours.statistics(outputs))
    other = timed(lambda: theirs._extract_corpus_statistics(outputs.hypotheses, streams))
    return f"{other:.2f} s for {len(outputs):,} lines, {other / own:.0f} times ours"


def significance(outputs: Outputs) -> None:
    part = Outputs(outputs.hypotheses[:2000], outputs.references[:2000])
    worse = Outputs([line.replace(" w1 ", " ") for line in part.hypotheses], part.references)
    pairs = [
        (metric, metric.statistics(part), metric.statistics(worse))
        for metric in make_metrics(SIX, part.references)
    ]
    print(f"\n1,000 resamples, {len(part):,} sentences, {len(pairs)} metrics")
    for name, test in (("paired bootstrap", paired_bootstrap), ("randomisation", randomisation)):
        seconds = timed(lambda test=test: [test(*pair) for pair in pairs])  # type: ignore[misc]
        print(f"{name:<20}{seconds:>8.2f}")
    seconds = timed(lambda: [resampled_scores(pair[0], [pair[1]]) for pair in pairs])
    print(f"{'intervals':<20}{seconds:>8.2f}")


def random_text(n_lines: int) -> tuple[list[str], list[str]]:
    """Lines of words with a Zipf distribution, and copies with replaced and swapped words."""
    draw = np.random.default_rng(1)
    frequency = 1 / np.arange(1, N_WORDS + 1)
    frequency /= frequency.sum()
    references, hypotheses = [], []
    for length in draw.integers(5, 36, size=n_lines).tolist():
        words = draw.choice(N_WORDS, size=length, p=frequency)
        references.append(" ".join(f"w{word}" for word in words.tolist()))
        words[draw.integers(length, size=length // 5)] = draw.integers(N_WORDS, size=length // 5)
        i, j, k = np.sort(draw.integers(length + 1, size=3))
        words = np.concatenate([words[:i], words[j:k], words[i:j], words[k:]])
        hypotheses.append(" ".join(f"w{word}" for word in words.tolist()))
    return references, hypotheses


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
