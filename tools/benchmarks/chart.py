"""Cost of the chart search by pop limit and by sentence length.

    python -m tools.benchmarks.chart MODEL SOURCE [POPS]...

Prints milliseconds of CPU time of one thread per sentence of SOURCE, and the mean score, for each
pop limit (400 and 1000 by default). The least of some rounds counts, in which the limits take
turns, so that other load affects all. The rules of the sentences are cached before.
"""

import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.text import read_lines
from hyperbaton.decoder.chart_decode import ChartDecoder
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.rules.table import RuleTable

ROUNDS = 5
LENGTHS = 0, 10, 20, 30, 40, 50, 1000


def main(arguments: list[str]) -> None:
    model, source, *given = arguments
    translator = Translator.load(model)
    table = translator.phrases
    if not isinstance(table, RuleTable):
        raise SystemExit(f"{model} has no hierarchical rules")
    sentences = [Sentence.parse(line) for _, line in read_lines(Path(source))]
    every_pops = [int(pops) for pops in given] or [400, 1000]
    decoders = []
    for pops in every_pops:
        settings = translator.with_settings(pop_limit=pops).settings
        decoders.append(ChartDecoder(table, translator.lm, translator.weights, settings))
    scores = np.array([[d.decode(s).scores[0] for s in sentences] for d in decoders])
    cost = np.full(scores.shape, np.inf)
    for _ in range(ROUNDS):
        for own, decoder in zip(cost, decoders, strict=True):
            for number, sentence in enumerate(sentences):
                began = time.thread_time()
                decoder.decode(sentence)
                own[number] = min(own[number], 1e3 * (time.thread_time() - began))
    lengths = np.array([len(sentence) for sentence in sentences])
    groups = [(lengths >= low) & (lengths < high) for low, high in pairwise(LENGTHS)]
    names = ["words", "all", *(f"{low} up" for low in LENGTHS[:-1]), "score"]
    print("".join(f"{name:>10}" for name in names))
    counts = [len(sentences), *(group.sum() for group in groups)]
    print(f"{'sentences':>10}" + "".join(f"{n:>10}" for n in counts))
    for pops, own, score in zip(every_pops, cost, scores, strict=True):
        means = [own.mean(), *(own[group].mean() if group.any() else np.nan for group in groups)]
        print(f"{pops:>10}" + "".join(f"{ms:>10.1f}" for ms in means) + f"{score.mean():>10.4f}")


if __name__ == "__main__":
    main(sys.argv[1:])
