"""One replica of one cell of the grid: tuned, then every test set translated and scored, each once.

The stages' folders are named after all that they depend on, so a comparison that is stopped, or
changed in one system, does only what is new. Tuning keeps its own state, iteration by iteration.
"""

import json
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from decoder.decode import SearchSettings
from decoder.translator import Failure, Translator
from models.arrays import FloatArray
from models.data.array_files import load_arrays, save_arrays
from models.errors import DataError
from models.system.folder import model_entries, read_system, starting_weights
from models.system.stages import PARTS, fingerprint, is_whole, run_stage
from models.writing import make_folder, open_to_write
from tuning.comparison.configuration import GOTO, UNTUNED, DataSet, TuningChoice, limit_name
from tuning.comparison.data import Sentences, load
from tuning.comparison.peak_memory import begin_peak, peak_megabytes
from tuning.comparison.results import Cost, Output, Replica, as_outputs, metrics_of
from tuning.comparison.workers import Say
from tuning.optimisers.objective import make_objective
from tuning.weights.loop import TuneResult, TuneSettings, tune

FORMAT = 1
TUNED, DECODED, SCORED, STATE = "tuned", "decoded", "scored", "state"


@dataclass(frozen=True)
class Job:
    """All that a process needs to know."""

    folder: Path  # of the comparison
    trained: Path  # the system that has all models
    system: str
    distortion: tuple[str, ...]  # with all settings
    limit: int
    search: SearchSettings  # but for the limit
    tune: TuningChoice
    seed: int
    dev: DataSet
    tests: tuple[DataSet, ...]
    metrics: tuple[str, ...]

    @property
    def name(self) -> str:
        seed = f", seed {self.seed}" if self.tune.method != UNTUNED else ""
        return f"{self.system} @ {limit_name(self.limit)}{seed}"

    @cached_property
    def tuned_key(self) -> str:
        """Everything that the weights depend on."""
        content = read_system(self.trained)
        tune = {name: value for name, value in asdict(self.tune).items() if name != "replicas"}
        return fingerprint(
            FORMAT,
            content["parts"],
            model_entries(self.trained, self.distortion),
            asdict(self.search) | {"distortion_limit": self.limit},
            tune | {"seed": self.seed},
            *_files(self.dev),
        )

    def decoded_key(self, test: DataSet) -> str:
        return fingerprint(self.tuned_key, *_files(test))

    def scored_key(self, test: DataSet) -> str:
        versions = [version(name) for name in ("hyperbaton", "sacrebleu")]
        return fingerprint(FORMAT, self.decoded_key(test), self.metrics, versions)

    @property
    def tuned(self) -> Path:
        return self._part(TUNED, self.tuned_key)

    def decoded(self, test: DataSet) -> Path:
        return self._part(DECODED, self.decoded_key(test))

    def scored(self, test: DataSet) -> Path:
        return self._part(SCORED, self.scored_key(test))

    @property
    def state(self) -> Path:
        """Where tuning keeps how far it is."""
        return self.folder / STATE / self.tuned_key

    def is_done(self) -> bool:
        parts = [self.tuned, *map(self.decoded, self.tests), *map(self.scored, self.tests)]
        return all(map(is_whole, parts))

    def _part(self, stage: str, key: str) -> Path:
        return self.folder / PARTS / f"{stage}-{key}"


def run_job(job: Job, say: Say) -> None:
    """Does what is missing."""
    begin_peak()
    worker = _Worker(job, say)
    run_stage(job.folder, TUNED, job.tuned_key, worker.tune)
    shutil.rmtree(job.state, ignore_errors=True)
    for test in job.tests:
        run_stage(job.folder, DECODED, job.decoded_key(test), partial(worker.decode, test))
        run_stage(job.folder, SCORED, job.scored_key(test), partial(worker.score, test))


def read_replica(job: Job) -> Replica:
    """The results of a job that is done, but for its translations."""
    content = _read(job.tuned / "tuned.json")
    cost = _read(job.tuned / "cost.json")
    statistics, milliseconds, peak = {}, [], cost["megabytes"]
    for test in job.tests:
        statistics[test.name] = _read_statistics(job.scored(test))
        own = _read(job.decoded(test) / "cost.json")
        milliseconds.append(1000 * own["seconds"] / own["sentences"])
        peak = max(peak, own["megabytes"])
    mean = sum(milliseconds) / len(milliseconds)
    made = Cost(cost["seconds"], mean, peak)
    return Replica(job.seed, **content, statistics=statistics, outputs={}, cost=made)


def read_outputs(job: Job) -> dict[str, list[Output]]:
    """The translations of all test sets by a job that is done."""
    return {test.name: _read_outputs(job.decoded(test)) for test in job.tests}


class _Worker:
    """Loads the system when a stage first needs it."""

    def __init__(self, job: Job, say: Say) -> None:
        self._job, self._say = job, say

    @cached_property
    def translator(self) -> Translator:
        """With the weights that its own models start with, whatever else was trained."""
        settings = replace(self._job.search, distortion_limit=self._job.limit)
        loaded = Translator.load(self._job.trained, settings, self._job.distortion)
        return loaded.with_weights(starting_weights(loaded.distortion))

    def tune(self, folder: Path) -> str:
        began = time.process_time()
        dev = load(self._job.dev)
        first, second = halves(dev) if self._job.tune.choose == GOTO else (dev, None)
        result = self._untuned(first) if self._job.tune.method == UNTUNED else self._tuned(first)
        choice = result["dev_score"]
        if second is not None:
            self._say("second half of dev")
            choice = self._score(self.translator.with_weights(result["weights"]), second)
        _write(folder / "tuned.json", {**result, "choice_score": choice})
        _write_cost(folder, began)
        return "done"

    def decode(self, test: DataSet, folder: Path) -> str:
        content = _read(self._job.tuned / "tuned.json")
        translator = self.translator.with_weights(content["weights"])
        sentences = load(test)
        translator.decode(sentences.sources[0])  # kernels are loaded before the clock starts
        began = time.process_time()
        with open_to_write(folder / "outputs.jsonl") as out:
            for number, output in enumerate(_translate(translator, sentences), 1):
                out.write(json.dumps(asdict(output), ensure_ascii=False).encode() + b"\n")
                if number % 50 == 0:
                    self._say(f"{test.name}: {number} of {len(sentences)} sentences")
        _write_cost(folder, began, sentences=len(sentences))
        return "done"

    def score(self, test: DataSet, folder: Path) -> str:
        self._say(f"{test.name}: scoring")
        sentences = load(test)
        outputs = as_outputs(sentences, _read_outputs(self._job.decoded(test)))
        arrays = {m.name: m.statistics(outputs) for m in metrics_of(self._job.metrics, sentences)}
        save_arrays(folder, FORMAT, {}, arrays, {})
        return "done"

    def _untuned(self, dev: Sentences) -> dict[str, Any]:
        weights = {name: self.translator.weights[name] for name in self.translator.feature_names}
        score = self._score(self.translator, dev)
        return {"weights": weights, "dev_score": score, "trace": []}

    def _tuned(self, dev: Sentences) -> dict[str, Any]:
        result = self._resumed(dev)
        trace = [
            {
                "iteration": number,
                "score": step.score,
                "pool": step.pool_size,
                "weights": step.weights,
            }
            for number, step in enumerate(result.trace.steps)
        ]
        return {"weights": result.weights, "dev_score": result.dev_score, "trace": trace}

    def _resumed(self, dev: Sentences) -> TuneResult:
        """Goes on where an earlier run was stopped; begins anew if what it left is damaged."""
        chosen = self._job.tune
        settings = TuneSettings(
            chosen.method,
            chosen.metric,
            chosen.n_best,
            iterations=chosen.iterations,
            seed=self._job.seed,
        )
        done = "iteration 0"

        def talk(text: str) -> None:  # `iteration  3: BLEU 31.42, pool …`
            nonlocal done
            done = " ".join(text.split(",")[0].split())
            self._say(done)

        def progress(what: str, count: int) -> None:
            if count % 50 == 0:
                self._say(f"{done}; {what} {count}" if count else done)

        def run() -> TuneResult:
            return tune(
                self.translator,
                dev.sources,
                dev.references,
                settings,
                self._job.state,
                progress,
                reference_visits=dev.visits,
                threads=1,
                model=self._job.tuned_key,
                talk=talk,
            )

        make_folder(self._job.state.parent)
        try:
            return run()
        except DataError as error:
            if not error.where.startswith(str(self._job.state)):
                raise
            shutil.rmtree(self._job.state)
            return run()

    def _score(self, translator: Translator, sentences: Sentences) -> float:
        objective = make_objective(self._job.tune.metric, sentences.references)
        outputs = list(_translate(translator, sentences))
        return objective.shown(objective.corpus_score(as_outputs(sentences, outputs)))


def halves(dev: Sentences) -> tuple[Sentences, Sentences]:
    """The first and the second half (Goto et al. 2013, section 4.2)."""
    middle = len(dev) // 2
    parts = (slice(0, middle), slice(middle, None))
    first, second = (
        replace(
            dev,
            sources=dev.sources[part],
            references=dev.references[part],
            visits=None if dev.visits is None else dev.visits[part],
        )
        for part in parts
    )
    return first, second


def _translate(translator: Translator, sentences: Sentences) -> Iterator[Output]:
    for number, result in enumerate(translator.stream(sentences.sources), 1):
        if isinstance(result, Failure):
            result.error.where = f"{sentences.name}, sentence {number}"
            raise result.error
        yield Output(" ".join(result.words()), result.links(), result.spans())


def _files(data: DataSet) -> list[str | Path]:
    """Names and files, for fingerprints."""
    values: dict[str, Any] = {field.name: getattr(data, field.name) for field in fields(data)}
    values |= {f"reference {number}": path for number, path in enumerate(data.references)}
    own = [(name, value) for name, value in values.items() if isinstance(value, Path)]
    return list(chain.from_iterable(own))


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _read_outputs(folder: Path) -> list[Output]:
    with (folder / "outputs.jsonl").open(encoding="utf-8", newline="\n") as lines:
        return [Output(**json.loads(line)) for line in lines]


def _read_statistics(folder: Path) -> dict[str, FloatArray]:
    return load_arrays(folder, FORMAT).arrays


def _write_cost(folder: Path, began: float, **more: int) -> None:
    seconds = time.process_time() - began
    content = {"seconds": seconds, "megabytes": peak_megabytes(), **more}
    _write(folder / "cost.json", content)


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with open_to_write(path) as stream:
        stream.write(json.dumps(content, ensure_ascii=False, indent=1).encode())
