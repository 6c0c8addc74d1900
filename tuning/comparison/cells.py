"""One replica of one cell of the grid: tuned, then every test set translated, each stage once.

The stages' folders are named after all that they depend on, so a comparison that is stopped, or
changed in one system, does only what is new.
"""

import json
import resource
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from decoder.decode import SearchSettings
from decoder.translator import Failure, Translator
from models.errors import DataError
from models.stages import fingerprint, run_stage
from models.system import model_entries, read_system
from models.writing import open_to_write
from tuning.comparison.configuration import DataSet, TuningChoice, limit_name
from tuning.comparison.data import Sentences, load
from tuning.comparison.results import Cost, Output, Replica, as_outputs
from tuning.comparison.workers import Say
from tuning.objective import make_objective

FORMAT = 1
TUNED, DECODED, STATE = "tuned", "decoded", "state"
GOTO = "goto"
UNTUNED = "none"


@dataclass(frozen=True)
class Job:
    """All that a process needs to know."""

    folder: Path  # of the comparison
    trained: Path  # the system that has all models
    system: str
    distortion: tuple[str, ...]
    limit: int
    search: SearchSettings  # but for the limit
    tune: TuningChoice
    seed: int
    dev: DataSet
    tests: tuple[DataSet, ...]

    @property
    def name(self) -> str:
        return f"{self.system} @ {limit_name(self.limit)}, seed {self.seed}"

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

    def parts(self) -> list[Path]:
        """Where the results are or will be: the weights, then each test set."""
        names = [f"{TUNED}-{self.tuned_key}"]
        names += [f"{DECODED}-{self.decoded_key(test)}" for test in self.tests]
        return [self.folder / "parts" / name for name in names]

    def is_done(self) -> bool:
        return all(part.is_dir() for part in self.parts())


def run_job(job: Job, say: Say) -> None:
    """Does what is missing."""
    worker = _Worker(job, say)
    run_stage(job.folder, TUNED, job.tuned_key, worker.tune)
    for test in job.tests:
        run_stage(job.folder, DECODED, job.decoded_key(test), partial(worker.decode, test))


def read_replica(job: Job) -> Replica:
    """The results of a job that is done."""
    tuned, *decoded = job.parts()
    content = json.loads((tuned / "tuned.json").read_text(encoding="utf-8"))
    cost = json.loads((tuned / "cost.json").read_text(encoding="utf-8"))
    outputs, milliseconds, peak = {}, [], cost["megabytes"]
    for test, part in zip(job.tests, decoded, strict=True):
        lines = (part / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
        outputs[test.name] = [Output(**json.loads(line)) for line in lines]
        own = json.loads((part / "cost.json").read_text(encoding="utf-8"))
        milliseconds.append(1000 * own["seconds"] / max(1, len(lines)))
        peak = max(peak, own["megabytes"])
    mean = sum(milliseconds) / len(milliseconds)
    return Replica(job.seed, **content, outputs=outputs, cost=Cost(cost["seconds"], mean, peak))


class _Worker:
    """Loads the system when a stage first needs it."""

    def __init__(self, job: Job, say: Say) -> None:
        self._job, self._say = job, say
        self._weights: dict[str, float] | None = None

    @cached_property
    def translator(self) -> Translator:
        settings = replace(self._job.search, distortion_limit=self._job.limit)
        return Translator.load(self._job.trained, settings, self._job.distortion)

    def tune(self, folder: Path) -> str:
        began = time.process_time()
        dev = load(self._job.dev)
        first, second = dev, None
        if self._job.tune.choose == GOTO:
            first, second = _halves(dev)
        result = self._tuned(first)
        choice = result["dev_score"]
        if second is not None:
            self._say("second half of dev")
            translator = self.translator.with_weights(result["weights"])
            choice = _score(translator, second, self._job.tune.metric)
        _write(folder / "tuned.json", {**result, "choice_score": choice})
        _write_cost(folder, began)
        return "done"

    def decode(self, test: DataSet, folder: Path) -> str:
        content = json.loads((self._job.parts()[0] / "tuned.json").read_text(encoding="utf-8"))
        translator = self.translator.with_weights(content["weights"])
        sentences = load(test)
        translator.decode(sentences.sources[0])  # kernels are loaded before the clock starts
        began = time.process_time()
        with open_to_write(folder / "outputs.jsonl") as out:
            for number, output in enumerate(_translate(translator, sentences), 1):
                out.write(json.dumps(asdict(output), ensure_ascii=False).encode() + b"\n")
                if number % 50 == 0:
                    self._say(f"{test.name}: {number} of {len(sentences)} sentences")
        _write_cost(folder, began)
        return "done"

    def _tuned(self, dev: Sentences) -> dict[str, Any]:
        if self._job.tune.method == UNTUNED:
            score = _score(self.translator, dev, self._job.tune.metric)
            weights = {
                name: self.translator.weights[name] for name in self.translator.feature_names
            }
            return {"weights": weights, "dev_score": score, "trace": []}
        raise NotImplementedError


def _translate(translator: Translator, sentences: Sentences) -> Iterator[Output]:
    for number, result in enumerate(translator.stream(sentences.sources), 1):
        if isinstance(result, Failure):
            result.error.where = f"{sentences.name}, sentence {number}"
            raise result.error
        yield Output(" ".join(result.words()), result.links(), result.spans())


def _score(translator: Translator, sentences: Sentences, metric: str) -> float:
    objective = make_objective(metric, sentences.references)
    outputs = list(_translate(translator, sentences))
    return objective.corpus_score(as_outputs(sentences, outputs))


def _halves(dev: Sentences) -> tuple[Sentences, Sentences]:
    """The first and the second half (Goto et al. 2013, section 4.2)."""
    middle = len(dev) // 2
    if not middle:
        raise DataError("a dev set of one sentence has no second half", where=dev.name)
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


def _files(data: DataSet) -> list[Path]:
    values = [getattr(data, field.name) for field in fields(data)]
    return [value for value in [*values, *data.references] if isinstance(value, Path)]


def _write_cost(folder: Path, began: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    _write(folder / "cost.json", {"seconds": time.process_time() - began, "megabytes": peak})


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with open_to_write(path) as stream:
        stream.write(json.dumps(content, ensure_ascii=False, indent=1).encode())
