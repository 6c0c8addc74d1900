"""Tunes a system on disk: reads the development set, tunes, and stores the weights in the system.

The state folder (`SYSTEM/tuning` by default) has a folder for every replica, all traces in
`tuning.json`, and perhaps a picture. The new weights are stored in the system at the very end.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hyperbaton.corpus.words.unknown_words import UnknownWords
from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.recipe import Origin
from hyperbaton.foundation.files.sealed_folders import check_unchanged
from hyperbaton.foundation.files.writing import path_text
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.foundation.work.workers import Workers
from hyperbaton.models.system.folder import load_text, read_system, write_weights
from hyperbaton.models.system.stages import fingerprint, locked
from hyperbaton.tuning.evaluation.data_sets import DataSet, load
from hyperbaton.tuning.optimisers.objective import parse_objective
from hyperbaton.tuning.weights.length_warning import length_warning
from hyperbaton.tuning.weights.loop import decode
from hyperbaton.tuning.weights.mbr_scale import N_BEST, choose_scale
from hyperbaton.tuning.weights.protocol import Replicas, tune_replicas
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.trace import write_json
from hyperbaton.tuning.weights.vector import read_fixed

SUMMARY, PICTURE = "tuning.json", "tuning.svg"


@dataclass(frozen=True)
class TuningJob:
    model: Path
    dev: DataSet
    fixed: tuple[str, ...] = ()
    state: Path | None = None
    restart: bool = False
    threads: int = 2
    allow_plugins: bool = False  # load distortion models from other packages
    mbr_scale: bool = False  # also choose the scale for minimum Bayes risk
    tokenised: bool = False  # the development set is tokenised, although the system takes raw text

    @property
    def folder(self) -> Path:
        return self.state or self.model / "tuning"

    @property
    def picture(self) -> Path:
        return self.folder / PICTURE


def tune_system(
    job: TuningJob,
    settings: TuneSettings,
    search: SearchSettings,
    reporter: Reporter = SILENT,
    workers: Workers | None = None,
) -> tuple[Replicas, dict[str, float]]:
    """Tunes a system and stores the weights in it; returns the result and the old weights.

    `workers`, if given, decode the development set.
    """
    content, talk = read_system(job.model), reporter.talk
    settings.check()
    parse_objective(settings.metric)
    model = fingerprint(content["parts"], content["distortion"])
    key = fingerprint(
        model, settings.of_one_run(), settings.protocol, asdict(search), list(job.fixed),
        *job.dev.files.values(), *["tokenised"] * job.tokenised,
    )  # fmt: skip
    text = None if job.tokenised else load_text(job.model)
    for difference in text.differences() if text else ():
        talk(difference)
    dev = load(job.dev, text)
    check_unchanged(key.files)
    with locked(job.folder):
        if job.restart:
            _clear(job.folder)
        before = _weights_to_begin_with(job.folder, key, content["weights"])
        origin = Origin(job.model, allow_plugins=job.allow_plugins)
        translator = origin.load(search)
        if translator.own_tagger is not None and job.dev.source_tags is None:
            talk(translator.own_tagger.notice())
        words = (sentence.words for sentence in dev.sources)
        phrases = translator.phrases
        unknown = UnknownWords(phrases.source_vocabulary, words, phrases.target_vocabulary)
        for line in filter(None, (str(unknown), unknown.hint)):
            talk(f"{dev.name}: {line}")
        translator = translator.with_weights(before)
        fixed, values = read_fixed(job.fixed, translator.feature_names)
        translator = translator.with_weights(values)
        before = {name: translator.weights[name] for name in translator.feature_names}
        task = TuningTask(
            translator, dev, settings, fixed, job.threads, model, reporter,
            lambda trace: talk(trace.last_line), workers, origin,
        )  # fmt: skip
        result = tune_replicas(task, job.folder)
        if warning := length_warning(task, before, result):
            talk(warning)
        if job.mbr_scale:
            lists, _ = decode(task, result.weights, N_BEST)
            result = replace(result, mbr=choose_scale(lists, result.weights, task))
        described = {"settings": settings.plain(), "search": asdict(search)}
        description = _description(job, result, len(dev)) | described
        scale = None if result.mbr is None else result.mbr.kept
        # first, so that new weights in the system always have a record of their origin
        write_json({"key": key, "before": before, **_summary(result)}, job.folder / SUMMARY)
        write_weights(job.model, result.weights, search.distortion_limit, description, scale)
    return result, before


def _summary(result: Replicas) -> dict[str, Any]:
    return {
        "after": result.weights,
        "protocol": result.protocol,
        "chosen": result.chosen,
        "score": result.score,
        "score_before": result.initial_score,
        "mean": result.mean,
        "deviation": result.deviation if len(result.learned) > 1 else None,
        "held_out": list(result.held_out),
        "replicas": [asdict(run.trace) for run in result.runs],
        "mbr": None if result.mbr is None else asdict(result.mbr),
    }


def _description(job: TuningJob, result: Replicas, n_sentences: int) -> dict[str, Any]:
    """Describes the origin of the weights, for `model.toml`."""
    trace = result.runs[0].trace
    several = (
        {"mean": result.mean, "deviation": result.deviation} if len(result.learned) > 1 else {}
    )
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
    }


def _weights_to_begin_with(
    folder: Path, key: str, weights: Mapping[str, float]
) -> Mapping[str, float]:
    """The initial weights: those of the system, or, if the same job has already tuned it, those
    from before."""
    try:
        old = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        same = old["key"] == key and old["after"].items() <= weights.items()
        return weights | old["before"] if same else weights
    except (OSError, ValueError, KeyError, TypeError):
        return weights


def _clear(folder: Path) -> None:
    for path in folder.glob("seed-*"):
        shutil.rmtree(path)
    for name in (SUMMARY, PICTURE):
        (folder / name).unlink(missing_ok=True)
