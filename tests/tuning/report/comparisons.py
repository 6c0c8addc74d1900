"""Comparisons without training: the sample's references, taken word by word in a spoilt order.

A system that is said to make errors of 0.2 exchanges one in five neighbouring source words, so its
order is known to be better than that of one with 0.4.
"""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.alignment import parse_links
from hyperbaton.samples import sample_configuration
from hyperbaton.tuning.comparison.configuration import ComparedSystem, Configuration, check
from hyperbaton.tuning.comparison.judging import judge
from hyperbaton.tuning.comparison.results import (
    Cell,
    Comparison,
    Cost,
    Output,
    Replica,
    StageCost,
    as_outputs,
    metrics_of,
)
from hyperbaton.tuning.evaluation.data_sets import Sentences, load
from hyperbaton.tuning.weights.settings import COMPARE_SETTINGS
from tests.oracles import visit_sequence

METRICS = ("bleu", "ter", "ribes", "pdscore")


def make_comparison(
    errors: dict[str, float],
    limits: tuple[int, ...] = (6,),
    n_sentences: int = 40,
    tests: tuple[str, ...] = ("test",),
    replicas: int = 1,
    aligned: bool = True,
    iterations: int = 0,
    metrics: tuple[str, ...] = METRICS,
    **settings,
) -> Comparison:
    sample = sample_configuration("ja-en")
    configuration = check(
        Configuration(
            sample.train,
            sample.dev,
            sample.test,
            tuple(ComparedSystem(name, ("linear",)) for name in errors),
            limits=limits,
            metrics=metrics,
            tune=replace(
                COMPARE_SETTINGS, replicas=replicas, method="mert" if iterations else "none"
            ),
            **settings,
        )
    )
    whole = load(sample.test[0])
    links = sample.test[0].alignment.read_text().splitlines()
    sets = [
        Sentences(
            name,
            whole.sources[first : first + n_sentences],
            whole.references[first : first + n_sentences],
            whole.visits[first : first + n_sentences] if aligned else None,
        )
        for number, name in enumerate(tests)
        for first in [number * n_sentences]
    ]
    cells = []
    for place, (name, share) in enumerate(errors.items()):
        for column, limit in enumerate(limits):
            made = [
                _replica(
                    sets,
                    links,
                    configuration,
                    share * (1 + 0.2 * (len(limits) - column)),
                    [place, column, replica],
                    iterations,
                )
                for replica in range(replicas)
            ]
            cells.append(Cell(name, limit, made, 0))
    costs = [StageCost("phrase table", 7.4, 262.0), StageCost("linear", 0.5, 262.0)]
    return judge(configuration, sets, cells, costs)


def _replica(sets, links, configuration, share, seed, iterations):
    random = np.random.default_rng(seed)
    outputs = {
        test.name: [
            spoilt(
                len(test.sources[place]),
                references[0].split(),
                links[number * len(test) + place],
                share,
                random,
            )
            for place, references in enumerate(test.references)
        ]
        for number, test in enumerate(sets)
    }
    statistics = {
        test.name: {
            metric.name: metric.statistics(as_outputs(test, outputs[test.name]))
            for metric in metrics_of(configuration, test)
        }
        for test in sets
    }
    trace = [
        {
            "iteration": n,
            "score": 30 + 3 * (1 - 0.5**n) - 10 * share,
            "pool": 100 * n,
            "weights": {},
        }
        for n in range(iterations + 1)
    ]
    weights = {"lm": 0.5, "linear": 0.1 * random.random(), "unknown": 1.0}
    if share > 0.1:
        weights["only.some.have.this"] = -0.25
    return Replica(
        1 + seed[-1], weights, 30.0, 30.0, trace * bool(iterations), statistics, outputs,
        Cost(12.5, 3.25, 300.0, f"2026-11-{16 + seed[-1]}"),
    )  # fmt: skip


def spoilt(n_source, target, links, share, random) -> Output:
    """Source words in the reference's order, some neighbours exchanged, with their target words."""
    numbers = parse_links(links)
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    order = visit_sequence(pairs)
    for place in range(len(order) - 1):
        if random.random() < share:
            order[place : place + 2] = order[place : place + 2][::-1]
    words, made, spans = [], [], []
    edges = [0, *sorted(order)[1:], n_source]  # words without a translation go with those before
    reach = dict(zip(sorted(order), pairwise(edges), strict=True))
    used = set()
    for word in order:
        own = [t for s, t in pairs if s == word and t not in used]
        used.update(own)
        begin = len(words)
        words += [target[t] for t in own]
        made += [(word, begin + number) for number in range(len(own))]
        spans.append((*reach[word], begin, len(words)))
    return Output(" ".join(words), made, spans)


def report_of(comparison: Comparison, path: Path, findings=(), figures=(), exhibits=()) -> Path:
    from hyperbaton.tuning.report.report import report

    made = report(comparison, findings, figures, exhibits)
    path.write_text(made, encoding="utf-8")
    return path
