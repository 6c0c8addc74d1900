"""The work behind `hyperbaton tune`: reads the development set, tunes, keeps the results.

The state folder (`MODEL/tuning` unless told otherwise) holds a folder for every replica, the trace
of all of them in `tuning.json`, and a picture. The system gets its new weights at the very end.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from decoder.decode import SearchSettings
from decoder.translator import Translator
from hyperbaton.console import progress_line, say
from hyperbaton.settings import Settings
from hyperbaton.views.tuning_plot import plot_tuning
from models.system.folder import path_text, read_system, write_weights
from models.system.stages import fingerprint, locked
from models.writing import open_to_write
from tuning.evaluation.data_sets import DataSet, load
from tuning.optimisers.objective import parse_objective
from tuning.weights.fixed import read_fixed
from tuning.weights.protocol import Replicas, tune_replicas
from tuning.weights.task import Listeners, TuningTask

FORMAT = 1
SUMMARY, PICTURE = "tuning.json", "tuning.svg"


@dataclass(frozen=True)
class TuningJob:
    model: Path
    dev: DataSet
    fixed: tuple[str, ...]
    state: Path | None
    restart: bool
    plot: Path | None
    threads: int

    @property
    def folder(self) -> Path:
        return self.state or self.model / "tuning"


def tune_system(
    job: TuningJob, settings_over: Callable[[Settings], Settings]
) -> tuple[Replicas, dict[str, float]]:
    """Tunes a system and gives it the weights; the result, and the weights before."""
    content = read_system(job.model)
    limit = content["search"]["distortion_limit"]
    settings = settings_over(Settings(search=replace(SearchSettings(), distortion_limit=limit)))
    settings.tune.check()
    parse_objective(settings.tune.metric)
    model = fingerprint(content["parts"], content["distortion"])
    key = fingerprint(
        model, settings.tune.of_one_run(), settings.tune.protocol, asdict(settings.search),
        list(job.fixed), *job.dev.files.values(),
    )  # fmt: skip
    dev = load(job.dev)
    with locked(job.folder):
        if job.restart:
            _clear(job.folder)
        before = _weights_to_begin_with(job.folder, key, content["weights"])
        translator = Translator.load(job.model, settings.search).with_weights(before)
        fixed, values = read_fixed(job.fixed, translator.feature_names)
        translator = translator.with_weights(values)
        before = {name: translator.weights[name] for name in translator.feature_names}
        _write_summary(job.folder, {"key": key, "before": before})
        with progress_line() as progress:
            listeners = Listeners(say, progress, lambda trace: say(trace.last_line))
            task = TuningTask(translator, dev, settings.tune, fixed, job.threads, model, listeners)
            result = tune_replicas(task, job.folder)
        plot_tuning(result, job.plot or job.folder / PICTURE)
        description = _description(job, settings, result, len(dev))
        write_weights(job.model, result.weights, settings.search.distortion_limit, description)
        _write_summary(job.folder, {"key": key, "before": before, **summary(result)})
    return result, before


def summary(result: Replicas) -> dict[str, Any]:
    """Everything about a tuning, for programs."""
    return {
        "after": result.weights,
        "protocol": result.protocol,
        "chosen": result.chosen,
        "score": result.score,
        "score_before": result.initial_score,
        "mean": result.mean,
        "deviation": result.deviation if len(result.runs) > 1 else None,
        "held_out": list(result.held_out),
        "replicas": [asdict(run.trace) for run in result.runs],
    }


def _description(
    job: TuningJob, settings: Settings, result: Replicas, n_sentences: int
) -> dict[str, Any]:
    """How the weights were made, for `model.toml`."""
    trace = result.runs[0].trace
    several = {"mean": result.mean, "deviation": result.deviation} if len(result.runs) > 1 else {}
    return {
        "metric": trace.metric,
        "signature": trace.signature,
        "score": result.score,
        "score_before": result.initial_score,
        **several,
        "chosen": result.chosen,
        "protocol": result.protocol,
        "replicas": len(result.runs),
        "fixed": list(job.fixed),
        "source": path_text(job.dev.source),
        "references": list(map(path_text, job.dev.references)),
        "sentences": n_sentences,
        "settings": settings.tune.plain(),
        "search": asdict(settings.search),
    }


def _weights_to_begin_with(
    folder: Path, key: str, weights: Mapping[str, float]
) -> Mapping[str, float]:
    """Those of the system, unless they are what the same tuning has made of others."""
    try:
        old = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        same = old["key"] == key and _agree(old.get("after", {}), weights)
        return weights | old["before"] if same and "after" in old else weights
    except (OSError, ValueError, KeyError, TypeError):
        return weights


def _agree(some: Mapping[str, float], weights: Mapping[str, float]) -> bool:
    return all(weights.get(name) == value for name, value in some.items())


def _write_summary(folder: Path, content: Mapping[str, Any]) -> None:
    with open_to_write(folder / SUMMARY) as stream:
        text = json.dumps({"format": FORMAT, **content}, ensure_ascii=False, indent=1)
        stream.write(text.encode() + b"\n")


def _clear(folder: Path) -> None:
    """Forgets all replicas."""
    for path in folder.glob("seed-*"):
        shutil.rmtree(path)
    for name in (SUMMARY, PICTURE):
        (folder / name).unlink(missing_ok=True)
