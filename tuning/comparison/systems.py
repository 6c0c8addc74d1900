"""Trains one system with the models of all compared systems.

The phrase table, language model, word classes and shared models are trained once. `costs.json`
keeps the cost of each stage, because unchanged stages are not run and measured again.
"""

import json
from functools import partial
from pathlib import Path

from hyperbaton.foundation.errors import BadLine
from hyperbaton.foundation.files.writing import make_folder, open_to_write
from hyperbaton.foundation.progress import Reporter
from hyperbaton.foundation.work.workers import Workers
from hyperbaton.models.distortion.catalogue import model_text
from hyperbaton.models.system.folder import read_system
from hyperbaton.models.system.settings import BOTH, HIERARCHICAL, PHRASE_BASED, TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.tuning.comparison.configuration import Configuration
from hyperbaton.tuning.comparison.data import corpus_files
from hyperbaton.tuning.comparison.requirements import exact_models
from hyperbaton.tuning.comparison.results import StageCost

COSTS = "costs.json"
SYSTEM = "system"
TITLES = {
    "text": "truecasing model",
    "phrases": "phrase table",
    "rules": "hierarchical rules",
    "lm": "language model",
    "source_classes": "source word classes",
    "source_tagger": "source tagger",
    "target_classes": "target word classes",
}


def train(
    configuration: Configuration,
    folder: Path,
    threads: int,
    reporter: Reporter,
    workers: Workers | None = None,
) -> Path:
    """Trains the system and returns its folder."""
    models = dict.fromkeys(
        model for system in configuration.system for model in exact_models(configuration, system)
    )
    settings = TrainingSettings(
        phrases=configuration.phrases,
        lm=configuration.lm,
        classes=configuration.classes,
        distortion=tuple(models),
        seed=configuration.seed,
        text=configuration.text,
        rules=configuration.rules,
        grammar=grammar_of(configuration),
        rules_for=tuple(str(data.source) for data in (configuration.dev, *configuration.test)),
    )
    try:
        train_system(
            corpus_files(configuration.train),
            folder / SYSTEM,
            settings,
            threads=threads,
            reporter=reporter._replace(measure=partial(_keep, folder)),
            together=False,
            workers=workers,
        )
    except BadLine as bad:
        bad.advice = "fix the pair, or remove it from all files of [train]"
        raise
    return folder / SYSTEM


def grammar_of(configuration: Configuration) -> str:
    """What the systems need: phrases, hierarchical rules, or both."""
    n_charts = sum(system.is_chart for system in configuration.system)
    if not n_charts:
        return PHRASE_BASED
    return HIERARCHICAL if n_charts == len(configuration.system) else BOTH


def stage_costs(folder: Path, configuration: Configuration) -> list[StageCost]:
    """The known costs of the stages of the trained system."""
    content = read_system(folder / SYSTEM)
    titles = {part: TITLES.get(name, name) for name, part in content["parts"].items()}
    wanted = {
        exact: text  # as in the configuration
        for system in configuration.system
        for exact, text in zip(exact_models(configuration, system), system.distortion, strict=True)
    }
    for entry in content["distortion"]:
        if "part" in entry:
            titles[entry["part"]] = wanted.get(
                model_text(entry["name"], entry["settings"]), entry["name"]
            )
    costs = _read(folder)
    return [StageCost(title, *costs[part]) for part, title in titles.items() if part in costs]


def _keep(folder: Path, part: str, seconds: float, megabytes: float) -> None:
    costs = _read(folder) | {part: (seconds, megabytes)}
    make_folder(folder)
    with open_to_write(folder / COSTS) as stream:
        stream.write(json.dumps(costs, indent=1).encode() + b"\n")


def _read(folder: Path) -> dict[str, tuple[float, float]]:
    try:
        costs = json.loads((folder / COSTS).read_text(encoding="utf-8"))
        return {part: (float(seconds), float(most)) for part, (seconds, most) in costs.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}  # nothing depends on costs
