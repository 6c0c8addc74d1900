"""Evaluates models of the next source word on held-out sentences: accuracy, probability of the
moves, and expected distances.

Two baselines are included: `uniform`, and `distance` (the relative frequency of each distance in
the other half of the sentences).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.distortion.next_word.events import NextWordEvents, find_events
from hyperbaton.models.distortion.next_word.held_out import (
    ByDistance,
    DistanceBaseline,
    MeanDifference,
    Predictions,
    Scores,
    average_by_distance,
    chosen_by_distance,
    compare,
    predict,
    probabilities,
    uniform,
)
from hyperbaton.models.distortion.next_word.model import NextWordModel
from hyperbaton.models.distortion.next_word.nine_class import NineClass
from hyperbaton.tuning.evaluation.significance import RESAMPLES, SEED

FARTHEST = 20  # largest distance of averages, as in Goto et al. (2013), Figure 5
CORPUS = "corpus"
UNIFORM, DISTANCE = "uniform", "distance"


@dataclass(frozen=True, eq=False)
class NextWordStudy:
    """The results on one corpus; `predictions` gives the order of the models."""

    n_sentences: int
    events: NextWordEvents
    predictions: dict[str, Predictions]  # with all words as candidates
    open_log_p: dict[str, float]  # mean log P with only untranslated words as candidates
    differences: dict[str, MeanDifference]  # of log P from the previous model
    by_distance: dict[str, ByDistance]  # P from −FARTHEST to FARTHEST
    outbound: ByDistance | None = None  # P(class | CP) of a nine-class model, by distance

    def mean(self, name: str, column: str) -> float:
        return float(getattr(self.predictions[name], column).mean())


def events_of(model: NextWordModel) -> tuple[str, str]:
    """The settings that determine the training events of a model."""
    return model.settings()["order"], model.leave_out


def next_word_models(models: Sequence[DistortionModel], where: str) -> list[NextWordModel]:
    """Selects the models of the next word; raises if there are none or their events differ."""
    selected = [model for model in models if isinstance(model, NextWordModel)]
    if not selected:
        raise DataError(
            "the system has no model of the next source word",
            where=where,
            expected=f"it has {', '.join(model.name for model in models) or 'no models'}",
            advice="train the system again, with --distortion sequence added to its models",
        )
    events = set(map(events_of, selected))
    if len(events) > 1:
        raise SettingError(
            "the models were trained on different events, so they cannot be compared",
            where=where,
            expected="; ".join(f"order={order},leave_out={words}" for order, words in events),
            advice="choose models with --distortion",
        )
    return selected


def study_models(
    models: Sequence[NextWordModel],
    corpus: AlignedCorpus,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = silent,
) -> NextWordStudy:
    events = find_events(corpus, models[0].settings()["order"], models[0].left_out)
    names = [model.name for model in models]
    scores: dict[str, Scores] = {UNIFORM: uniform}
    for name, model in zip(names, models, strict=True):
        scores[name if names.count(name) == 1 else model.feature_names[0]] = model.scores
    predictions, open_log_p, by_distance = {}, {}, {}
    halves = [_distance_by_halves(corpus, events, open_only=flag) for flag in (False, True)]
    for number, (name, score) in enumerate(scores.items()):
        progress("testing models", number)
        predictions[name] = predict(score, corpus, events)
        open_log_p[name] = float(predict(score, corpus, events, open_only=True).log_p.mean())
        if name == UNIFORM:
            predictions[DISTANCE] = halves[0]
            open_log_p[DISTANCE] = float(halves[1].log_p.mean())
        else:
            by_distance[name] = average_by_distance(probabilities(score), corpus, events, FARTHEST)
    by_distance[CORPUS] = chosen_by_distance(events, FARTHEST)
    differences = {
        better: compare(
            predictions[better].log_p,
            predictions[worse].log_p,
            predictions[better].sentence,
            n_resamples,
            seed,
        )
        for worse, better in pairwise(predictions)
    }
    outbound = [
        average_by_distance(model.outbound_probabilities, corpus, events, FARTHEST)
        for model in models
        if isinstance(model, NineClass) and model.outbound
    ]
    return NextWordStudy(
        len(corpus), events, predictions, open_log_p, differences, by_distance,
        outbound[0] if outbound else None,
    )  # fmt: skip


def _distance_by_halves(
    corpus: AlignedCorpus, events: NextWordEvents, *, open_only: bool
) -> Predictions:
    """Predicts each half of the sentences by the frequencies of distances in the other half."""
    sentence = np.repeat(np.arange(len(corpus)), np.diff(events.offsets))
    both = []
    for half in (0, 1):
        others = sentence % 2 != half
        counted = events._replace(current=events.current[others], next=events.next[others])
        both.append(predict(DistanceBaseline(counted), corpus, events, open_only=open_only))
    odd = sentence % 2 == 1
    log_p, rank, right = (
        np.where(odd, getattr(both[1], name), getattr(both[0], name))
        for name in ("log_p", "rank", "right")
    )
    return Predictions(log_p, rank, right, sentence)
