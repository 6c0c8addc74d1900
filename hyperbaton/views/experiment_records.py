"""Learning experiments for programs: every measure of every trial, as CSV and as JSON."""

import json
from dataclasses import asdict

from tuning.evaluation import tables
from tuning.reproduction.class_predictions import OVERALL
from tuning.reproduction.experiment_settings import POOLED_ONLY
from tuning.reproduction.learner_experiment import Experiment, Trial


def as_csv(experiment: Experiment) -> str:
    """A line for every trial and measure."""
    rows = (
        [trial.learner, trial.n_classes, trial.size, trial.repeat, measure, f"{value:.6g}"]
        for trial in experiment.trials
        for measure, value in _measures(trial).items()
    )
    header = ["learner", "classes", "sentences", "repeat", "measure", "value"]
    return tables.as_csv(header, rows)


def _measures(trial: Trial) -> dict[str, float]:
    measures = {
        OVERALL: trial.result.precision,
        **{
            f"F1 {name}": float(value)
            for name, value in zip(trial.result.classes, trial.result.class_f1, strict=True)
        },
        "seconds": trial.seconds,
        "training error": trial.train_error,
        "training phrase pairs": trial.n_train,
        "test phrase pairs": trial.result.n_examples,
        "features": trial.n_features,
    }
    for each in trial.by_distance:
        if each.n_examples:
            measures[f"d={each.name}"] = each.precision
    return measures


def as_json(experiment: Experiment) -> str:
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
                "training_phrase_pairs": trial.n_train,
                "features": trial.n_features,
                "seconds": trial.seconds,
                "training_error": trial.train_error,
                "precision": trial.result.precision,
                "f1": trial.result.class_f1.tolist(),
                "confusion": trial.result.confusion.tolist(),
                "by_distance": [
                    {"d": each.name, "examples": each.n_examples, "right": each.n_right}
                    for each in trial.by_distance
                    if each.n_examples
                ],
                "learner_settings": dict(trial.settings),
                "active": None if trial.active is None else trial.active.tolist(),
            }
            for trial in experiment.trials
        ],
        "training_time_to_the_same_tolerance": [asdict(each) for each in experiment.times],
    }
    return json.dumps(record, ensure_ascii=False, indent=1)
