"""What models know of the next source word, for programs: CSV and JSON."""

import json
from typing import Any

import numpy as np

from tuning.evaluation import tables
from tuning.reproduction.next_word_study import FARTHEST, NextWordStudy


def as_json(study: NextWordStudy) -> str:
    distances = np.arange(-FARTHEST, FARTHEST + 1)
    record = {
        "n_sentences": study.n_sentences,
        "n_moves": len(study.events.current),
        "models": {
            name: {
                "right": study.mean(name, "right"),
                "rank": study.mean(name, "rank"),
                "log_p": study.mean(name, "log_p"),
                "open_log_p": study.open_log_p[name],
                "gain": study.differences[name]._asdict() if name in study.differences else None,
            }
            for name in study.predictions
        },
        "by_distance": {
            name: {
                int(distance): value
                for distance, value in zip(distances, values.tolist(), strict=True)
                if np.isfinite(value)
            }
            for name, values in study.by_distance.items()
        },
    }
    return json.dumps(record, ensure_ascii=False, indent=2)


def distances_as_csv(study: NextWordStudy) -> str:
    """Average probabilities by distance, a line for each."""
    rows: list[list[Any]] = []
    for number, distance in enumerate(range(-FARTHEST, FARTHEST + 1)):
        values = (values[number] for values in study.by_distance.values())
        rows.append([distance, *("" if np.isnan(value) else value for value in values)])
    return tables.as_csv(["distance", *study.by_distance], rows)


def as_csv(study: NextWordStudy) -> str:
    """A line for each model."""
    rows = [
        [
            name,
            *(study.mean(name, column) for column in ("right", "rank", "log_p")),
            study.open_log_p[name],
        ]
        for name in study.predictions
    ]
    return tables.as_csv(["model", "right", "rank", "log_p", "open_log_p"], rows)


FORMATS = {"csv": as_csv, "json": as_json, "distances": distances_as_csv}
