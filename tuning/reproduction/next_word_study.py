"""How well models of the next source word predict held-out sentences: how often they are right, how
probable they find the moves, and which distances they expect.

`uniform` and `distance` (how often each distance occurs in the other half of the sentences) are
there for comparison.
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

FARTHEST = 20  # distance that averages are given for, as in Goto et al. (2013), Figure 5
CORPUS = "corpus"
UNIFORM, DISTANCE = "uniform", "distance"


@dataclass(frozen=True, eq=False)
class NextWordStudy:
    """Everything about one corpus; models in the order of their names in `predictions`."""

    n_sentences: int
    events: NextWordEvents
    predictions: dict[str, Predictions]  # all places are candidates
    open_log_p: dict[str, float]  # mean log P if only open places are
    differences: dict[str, MeanDifference]  # of log P from the model before
    by_distance: dict[str, ByDistance]  # P from −FARTHEST to FARTHEST
    outbound: ByDistance | None = None  # P(class | CP) of a nine-class model, the same

    def mean(self, name: str, column: str) -> float:
        return float(getattr(self.predictions[name], column).mean())


def events_of(model: NextWordModel) -> tuple[str, str]:
    """The settings that decide which moves a model sees."""
    return model.settings()["order"], model.leave_out


def next_word_models(models: Sequence[DistortionModel], where: str) -> list[NextWordModel]:
    """Those of the models that estimate the next word; they must share their events."""
    found = [model for model in models if isinstance(model, NextWordModel)]
    if not found:
        raise DataError(
            "the system has no model of the next source word",
            where=where,
            expected=f"it has {', '.join(model.name for model in models) or 'none at all'}",
            advice="train the system again, with --distortion sequence added to its models",
        )
    events = set(map(events_of, found))
    if len(events) > 1:
        raise SettingError(
            "the models were trained on different events, so they cannot be compared",
            where=where,
            expected="; ".join(f"order={order},leave_out={words}" for order, words in events),
            advice="choose models with --distortion",
        )
    return found


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
    for number, (name, own) in enumerate(scores.items()):
        progress("asking models", number)
        predictions[name] = predict(own, corpus, events)
        open_log_p[name] = float(predict(own, corpus, events, open_only=True).log_p.mean())
        if name == UNIFORM:
            predictions[DISTANCE] = halves[0]
            open_log_p[DISTANCE] = float(halves[1].log_p.mean())
        else:
            by_distance[name] = average_by_distance(probabilities(own), corpus, events, FARTHEST)
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
    """The frequencies of distances, each half of the sentences under those of the other half."""
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
