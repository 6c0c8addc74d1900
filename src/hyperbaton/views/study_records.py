"""Studies as CSV and JSON: all measures of a learning experiment, and predictions of the next
source word."""

import json
from dataclasses import asdict

import numpy as np

from hyperbaton.tuning.evaluation import tables
from hyperbaton.tuning.reproduction.experiment_settings import POOLED_ONLY
from hyperbaton.tuning.reproduction.next_word_study import FARTHEST, NextWordStudy
from hyperbaton.tuning.reproduction.trials import SEEN, UNSEEN, Experiment

MEANS = ("right", "rank", "log_p")  # of a model, over all moves


def experiment_csv(experiment: Experiment) -> str:
    """One line per trial and measure."""
    rows = (
        [trial.learner, trial.n_classes, trial.size, trial.repeat, measure, f"{value:.6g}"]
        for trial in experiment.trials
        for measure, value in trial.measures.items()
    )
    header = ["learner", "classes", "sentences", "repeat", "measure", "value"]
    return tables.as_csv(header, rows)


def experiment_json(experiment: Experiment) -> str:
    settings = asdict(experiment.settings)
    if settings["min_examples"] == POOLED_ONLY:
        settings["min_examples"] = None
    record = {
        "settings": settings,
        "runs": [
            {
                "learner": trial.learner,
                "classes": list(trial.result.classes),
                "sentences": trial.size,
                "repeat": trial.repeat,
                "training_phrase_pairs": trial.measures["training phrase pairs"],
                "features": trial.n_features,
                "seconds": trial.seconds,
                "training_error": trial.train_error,
                "precision": trial.result.precision,
                "precision_seen_pairs": trial.measures[SEEN],
                "precision_unseen_pairs": trial.measures[UNSEEN],
                "f1": trial.result.class_f1.tolist(),
                "confusion": trial.result.confusion.tolist(),
                "by_distance": [
                    {"d": distance.name, "examples": distance.n_examples, "right": distance.n_right}
                    for distance in trial.by_distance
                    if distance.n_examples
                ],
                "learner_settings": dict(trial.settings),
                "active": None if trial.active is None else trial.active.tolist(),
            }
            for trial in experiment.trials
        ],
        "training_time_to_the_same_tolerance": [asdict(time) for time in experiment.times],
    }
    return json.dumps(record, ensure_ascii=False, indent=1)


def next_word_json(study: NextWordStudy) -> str:
    record = {
        "n_sentences": study.n_sentences,
        "n_moves": len(study.events.current),
        "models": {
            name: {
                **{column: study.mean(name, column) for column in MEANS},
                "open_log_p": study.open_log_p[name],
                "gain": study.differences[name]._asdict() if name in study.differences else None,
            }
            for name in study.predictions
        },
        "by_distance": {
            name: {
                distance: value
                for distance, value in enumerate(values.mean.tolist(), -FARTHEST)
                if np.isfinite(value)
            }
            for name, values in study.by_distance.items()
        },
    }
    return json.dumps(record, ensure_ascii=False, indent=2)


def distances_as_csv(study: NextWordStudy) -> str:
    """Average probabilities, one line per distance."""
    curves = [
        ["" if np.isnan(value) else value for value in values.mean]
        for values in study.by_distance.values()
    ]
    rows = zip(range(-FARTHEST, FARTHEST + 1), *curves, strict=True)
    return tables.as_csv(["distance", *study.by_distance], rows)


def next_word_csv(study: NextWordStudy) -> str:
    """One line per model."""
    rows = (
        [name, *(study.mean(name, column) for column in MEANS), study.open_log_p[name]]
        for name in study.predictions
    )
    return tables.as_csv(["model", *MEANS, "open_log_p"], rows)


NEXT_WORD_FORMATS = {"csv": next_word_csv, "json": next_word_json, "distances": distances_as_csv}
