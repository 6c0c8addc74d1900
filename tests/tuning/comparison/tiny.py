"""A comparison that takes a second: a few sentences of the sample, untuned unless told."""

import gzip
from dataclasses import replace
from pathlib import Path

from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.system.settings import ClassSettings, LanguageModelSettings
from hyperbaton.samples import sample_files
from hyperbaton.tuning.comparison.configuration import (
    ComparedSystem,
    Configuration,
    TrainingData,
    check,
)
from hyperbaton.tuning.evaluation.data_sets import DataSet
from hyperbaton.tuning.weights.settings import COMPARE_SETTINGS

UNTUNED = replace(COMPARE_SETTINGS, method="none")
N_TRAIN, N_DEV, N_TEST = 60, 12, 8
LINEAR = ComparedSystem("LINEAR", ("linear",))
LEX = ComparedSystem("LEX", ("linear", "msd"))


def tiny_configuration(folder: Path, systems=(LINEAR, LEX), **settings) -> Configuration:
    """Writes the data into the folder. All sentences are those that the system was trained on, so
    that something is translated."""
    files = sample_files("ja-en")
    paths = {"source": files.source, "target": files.target, "alignment": files.alignment}
    parts = {"train": (0, N_TRAIN), "dev": (0, N_DEV), "test": (N_DEV, N_DEV + N_TEST)}
    made = {}
    for part, (first, last) in parts.items():
        for name, path in paths.items():
            with gzip.open(path, "rb") as stream:
                lines = stream.readlines()[first:last]
            made[part, name] = folder / f"{part}.{name}"
            made[part, name].write_bytes(b"".join(lines))

    def data(part):
        own = made[part, "source"], (made[part, "target"],), part, made[part, "alignment"]
        return DataSet(*own)

    settings = {
        "limits": (6,),
        "metrics": ("bleu", "pdscore"),
        "tune": UNTUNED,
        "lm": LanguageModelSettings(order=3),
        "classes": ClassSettings(number=4),
    } | settings
    train = TrainingData(*(made["train", name] for name in paths))
    return check(Configuration(train, data("dev"), (data("test"),), tuple(systems), **settings))


def in_this_process(workers, jobs, work, progress, done):  # noqa: ARG001
    """Instead of `run_jobs`: no processes are started."""
    for number, job in enumerate(jobs):
        work(Workplace(lambda *news, number=number: progress(number, *news)), job)
        done(number)
