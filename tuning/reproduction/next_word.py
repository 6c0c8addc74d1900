"""Average probabilities of far moves (Goto et al. 2013, Figure 5), of the models of the next source
word that the systems have, on the test sets that have an alignment.

The curve of the corpus is the share of the candidates at a distance that were chosen, so that all
curves are about the same candidates (the paper has shares of all moves of the training data). How
closely a model follows it is the mean of |log P − log P of the corpus| over the distances, each
counting the same; distances that the test set hardly has say nothing and are left out.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.data.corpus_reading import CorpusFiles, read_corpus
from models.distortion.catalogue import parse_model
from models.distortion.next_word.events import Events, find_events
from models.distortion.next_word.held_out import (
    average_by_distance,
    chosen_by_distance,
    with_layers,
)
from models.distortion.next_word.model import NextWordModel
from models.system.folder import load_distortion, load_source_classes, model_entries, read_system
from tuning.evaluation.charts import Series
from tuning.evaluation.data_sets import DataSet
from tuning.evaluation.tables import Table
from tuning.reproduction.exhibit import Chart, Exhibit, LeftOut
from tuning.reproduction.material import Kind, Material, data_files
from tuning.reproduction.papers import GOTO_FIGURE_5, Finding, holds

FIRST, LAST = 3, 20  # distances of the figure
FEWEST = 5  # moves of the corpus over a distance that counts
CORPUS, BETTER, WORSE = "corpus", "sequence", "pair"
NAME, TITLE = "next_word", "Far moves (Goto et al. 2013, Figure 5)"
Curves = dict[str, NDArray[np.float64]]  # P at the distances FIRST … LAST


def _models(material: Material) -> list[str]:
    """Those that estimate the next word, from the same events as the first of them."""
    found = [(text, parse_model(text)) for text in material.models()]
    own = [(text, model) for text, model in found if isinstance(model, NextWordModel)]
    if not own:
        raise LeftOut("no system has a model of the next source word (nine-class, pair, sequence)")
    events = [(model.settings()["order"], model.leave_out) for _, model in own]
    return [text for (text, _), each in zip(own, events, strict=True) if each == events[0]]


def _tests(material: Material) -> list[DataSet]:
    tests = [test for test in material.configuration.test if test.alignment is not None]
    if not tests:
        raise LeftOut("no test set has a word alignment")
    return tests


def _depends(material: Material) -> Iterable[Any]:
    models = model_entries(material.trained, _models(material))
    classes = read_system(material.trained)["parts"].get("source_classes")
    tests = [item for test in _tests(material) for item in (test.name, *data_files(test))]
    return [models, classes, FIRST, LAST, FEWEST, *tests]


def _make(material: Material) -> Exhibit:
    loaded = load_distortion(material.trained, _models(material))
    models = [model for model in loaded if isinstance(model, NextWordModel)]
    names = [model.name for model in models]
    shown = [
        name if names.count(name) == 1 else model.feature_names[0]
        for name, model in zip(names, models, strict=True)
    ]
    classes = load_source_classes(material.trained)
    by_test: dict[str, Curves] = {}
    for test in _tests(material):
        files = CorpusFiles(
            test.source, test.references[0], test.alignment, source_tags=test.source_tags
        )
        corpus, _ = read_corpus(files)
        corpus = with_layers(corpus, models, classes)
        events = find_events(corpus, models[0].settings()["order"], models[0].left_out)
        curves = by_test[test.name] = {}
        for name, model in zip(shown, models, strict=True):
            if material.progress:
                material.progress(f"far moves of {test.name}: {name}", 0)
            curves[name] = average_by_distance(model.scores, corpus, events, LAST)[LAST + FIRST :]
        curves[CORPUS] = corpus_curve(events)
    return next_word_exhibit(by_test)


KIND = Kind(NAME, TITLE, _depends, _make)


def corpus_curve(events: Events) -> NDArray[np.float64]:
    """Shares of the candidates that were chosen; not a number where there are too few moves."""
    chosen = chosen_by_distance(events, LAST)[LAST + FIRST :]
    moves = events.distortions
    counts = np.bincount(moves[(moves >= FIRST) & (moves <= LAST)] - FIRST, minlength=len(chosen))
    return np.where(counts >= FEWEST, chosen, np.nan)


def next_word_exhibit(by_test: dict[str, Curves]) -> Exhibit:
    notes = [
        f"Average P of the candidates {FIRST} to {LAST} words ahead; corpus: the share of them "
        f"that was translated next, where there are {FEWEST} such moves or more.",
    ]
    charts = [
        Chart(
            f"{test}: average probability by distance, as in Figure 5",
            list(map(str, range(FIRST, LAST + 1))),
            [
                Series(name, curve.tolist(), is_reference=name == CORPUS)
                for name, curve in curves.items()
            ],
            "distance",
            "average P",
            digits=4,
            is_log=True,
        )
        for test, curves in by_test.items()
    ]
    return Exhibit(NAME, TITLE, notes, [_closeness(by_test)], charts, _findings(by_test))


def deviation(curve: NDArray[np.float64], corpus: NDArray[np.float64]) -> float:
    """Mean |log P − log P of the corpus|; not a number if there is nothing to compare."""
    known = np.isfinite(curve) & np.isfinite(corpus) & (curve > 0) & (corpus > 0)
    if not known.any():
        return float("nan")
    return float(np.abs(np.log(curve[known]) - np.log(corpus[known])).mean())


def _closeness(by_test: dict[str, Curves]) -> Table:
    names = [name for name in next(iter(by_test.values())) if name != CORPUS]
    rows = [
        [
            test,
            *(_text(deviation(curves[name], curves[CORPUS])) for name in names),
            str(np.isfinite(curves[CORPUS]).sum()),
        ]
        for test, curves in by_test.items()
    ]
    header = ["test set", *names, "distances"]
    return Table(header, rows, (), "mean |log P − log P of the corpus|")


def _findings(by_test: dict[str, Curves]) -> list[Finding]:
    if not all({BETTER, WORSE} <= curves.keys() for curves in by_test.values()):
        return []
    good, cases = [], []
    for test, curves in by_test.items():
        near, far = (deviation(curves[name], curves[CORPUS]) for name in (BETTER, WORSE))
        if np.isfinite(near) and np.isfinite(far):
            good.append(near < far)
            cases.append(f"{test}: {near:.3f} against {far:.3f}")
    statement = (
        f"{GOTO_FIGURE_5}: {BETTER} follows the corpus by distance more closely than {WORSE} "
        f"(mean |log P − log P of the corpus|, distances {FIRST} to {LAST})"
    )
    return [Finding(statement, holds(good), tuple(cases))]


def _text(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "-"
