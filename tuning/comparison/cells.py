"""Runs one replica of one cell of the grid: tunes it, then translates and scores every test set.

The name of a stage's folder depends on all inputs of the stage, so a comparison that was stopped,
or changed in one system, only repeats what has changed. Tuning saves its state after every
iteration.
"""

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.decoder.decode import for_search
from hyperbaton.decoder.stream import Failure, decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.sealed_folders import is_whole
from hyperbaton.foundation.files.writing import make_folder, open_to_write
from hyperbaton.foundation.progress import Progress, Reporter
from hyperbaton.foundation.settings_text import NO_LIMIT
from hyperbaton.foundation.work.process_usage import begin_peak, peak_megabytes
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.system.folder import (
    CHART,
    PHRASES,
    RULES,
    load_text,
    model_entries,
    read_system,
    starting_weights,
)
from hyperbaton.models.system.stages import PARTS, fingerprint, run_stage
from hyperbaton.tuning.comparison.configuration import ComparedSystem, Configuration, limit_name
from hyperbaton.tuning.comparison.results import Cost, Output, Replica, as_outputs, metrics_of
from hyperbaton.tuning.evaluation.data_sets import DataSet, Sentences, load
from hyperbaton.tuning.weights.loop import TuneResult, measure, tune
from hyperbaton.tuning.weights.protocol import average, split
from hyperbaton.tuning.weights.settings import GOTO, UNTUNED, TuneSettings
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.trace import Trace

FORMAT = 1
TUNED, DECODED, SCORED, STATE = "tuned", "decoded", "scored", "state"
OFTEN = 50  # sentences between progress reports


@dataclass(frozen=True)
class Job:
    """Everything that a worker process needs."""

    configuration: Configuration  # its files contain only the selected lines
    folder: Path  # of the comparison
    trained: Path  # the system with all models
    system: ComparedSystem  # its models with all their settings
    limit: int
    seed: int
    longest: int  # words of the longest sentence
    # Jobs whose mean weights it uses once they are tuned: the replicas of its cell, or one run of
    # another system
    lenders: tuple["Job", ...] = ()

    @property
    def name(self) -> str:
        which = f", seed {self.seed}" if self.lenders or self.tune.method != UNTUNED else ""
        if self.lenders and not self.system.weights:
            which = ", average"
        return f"{self.system.name} @ {limit_name(self.limit)}{which}"

    @property
    def tune(self) -> TuneSettings:
        return replace(self.configuration.tune, seed=self.seed)

    @cached_property
    def tuned_key(self) -> str:
        """A fingerprint of everything on which the weights depend."""
        if not self.lenders:
            return self._untuned_key
        borrower = [self._untuned_key] if self.system.weights else []
        return fingerprint(FORMAT, "average", [job.tuned_key for job in self.lenders], *borrower)

    @property
    def _untuned_key(self) -> str:
        return fingerprint(
            FORMAT,
            *self._searched,
            self.tune.of_one_run() | {"halves": self.tune.protocol == GOTO},
            *_names_and_files(self.configuration.dev),
        )

    @property
    def _searched(self) -> list[Any]:
        """The parts of the system that the job uses, its models, and the settings of the search."""
        parts = read_system(self.trained)["parts"]
        search = asdict(for_search(self.configuration.search, self.system.decoder))
        if self.system.is_chart:  # there is no distortion limit: all limits are one job
            known = {name: part for name, part in parts.items() if name != PHRASES}
            return [CHART, known, search | {"distortion_limit": NO_LIMIT}]
        del search["chart_span"]
        known = {name: part for name, part in parts.items() if name != RULES}
        entries = model_entries(self.trained, self.system.distortion)
        limit = self.limit if self.limit < self.longest else NO_LIMIT  # no jump is longer
        return [known, entries, search | {"distortion_limit": limit}]

    def decoded_key(self, test: DataSet) -> str:
        return fingerprint(self.tuned_key, *_names_and_files(test))

    def scored_key(self, test: DataSet) -> str:
        versions = [version(name) for name in ("hyperbaton", "sacrebleu")]
        how = self.configuration.metrics, self.configuration.text_options.signature
        return fingerprint(FORMAT, self.decoded_key(test), *how, versions)

    @property
    def tuned(self) -> Path:
        return self._part(TUNED, self.tuned_key)

    def decoded(self, test: DataSet) -> Path:
        return self._part(DECODED, self.decoded_key(test))

    def scored(self, test: DataSet) -> Path:
        return self._part(SCORED, self.scored_key(test))

    @property
    def state(self) -> Path:
        return self.folder / STATE / self.tuned_key

    @cached_property
    def parts(self) -> list[Path]:
        """The folders that the job writes; computed at home, where the data have their paths."""
        tests = self.configuration.test
        return [self.tuned, *map(self.decoded, tests), *map(self.scored, tests)]

    @property
    def needs(self) -> list[Path]:
        """The folders of other jobs that the job reads."""
        return [job.tuned for job in self.lenders]

    @property
    def files(self) -> list[Path]:
        """All other files that the job reads."""
        data_sets = [self.configuration.dev, *self.configuration.test]
        return [self.trained, *chain.from_iterable(data.files.values() for data in data_sets)]

    def is_done(self) -> bool:
        return all(map(is_whole, self.parts))

    def at(self, here: Workplace, folder: Path) -> "Job":
        """The same job with the paths of another machine."""
        configuration = replace(
            self.configuration,
            dev=self.configuration.dev.at(here.get),
            test=tuple(test.at(here.get) for test in self.configuration.test),
        )
        return replace(
            self,
            configuration=configuration,
            folder=folder,
            trained=here.get(self.trained),
            lenders=tuple(job.at(here, folder) for job in self.lenders),
        )

    def _part(self, stage: str, key: str) -> Path:
        return self.folder / PARTS / f"{stage}-{key}"


def run_job(here: Workplace, job: Job) -> None:
    """Runs the missing stages of a job."""
    begin_peak()
    needed = [*job.parts, *job.needs, job.state]
    names = [path.relative_to(job.folder).as_posix() for path in needed]
    with here.working_in(job.folder, *names) as folder:
        local = job.at(here, folder)
        if [path.name for path in local.parts] != [path.name for path in job.parts]:
            raise DataError(
                "a data set has changed since the comparison started",
                advice="run the same command again",
            )
        work = _Work(local, here.say, lambda: here.put(local.state, job.state))
        run_stage(folder, TUNED, local.tuned_key, work.tune)
        for test in local.configuration.test:
            run_stage(folder, DECODED, local.decoded_key(test), partial(work.decode, test))
            run_stage(folder, SCORED, local.scored_key(test), partial(work.score, test))
        for part, home in zip(local.parts, job.parts, strict=True):
            here.put(part, home)


def read_replica(job: Job) -> Replica:
    """The results of a finished job, without its translations."""
    content = _read(job.tuned / "tuned.json")
    cost = _read(job.tuned / "cost.json")
    statistics, milliseconds = {}, []
    peak, date = cost["megabytes"], cost.get("date", "")
    for test in job.configuration.test:
        statistics[test.name] = load_arrays(job.scored(test), FORMAT).arrays
        decoding = _read(job.decoded(test) / "cost.json")
        milliseconds.append(1000 * decoding["seconds"] / decoding["sentences"])
        peak, date = max(peak, decoding["megabytes"]), max(date, decoding.get("date", ""))
    mean = sum(milliseconds) / len(milliseconds)
    total = Cost(cost["seconds"], mean, peak, date)
    return Replica(job.seed, **content, statistics=statistics, outputs={}, cost=total)


def read_outputs(job: Job) -> dict[str, list[Output]]:
    return {test.name: _read_outputs(job.decoded(test)) for test in job.configuration.test}


class _Work:
    """The stages of a job; the system is loaded at first use."""

    def __init__(self, job: Job, say: Progress, keep_state: Callable[[], None]) -> None:
        self._job, self._say, self._keep_state = job, say, keep_state

    @cached_property
    def translator(self) -> Translator:
        """The system with only the job's models and their initial weights."""
        settings = replace(self._job.configuration.search, distortion_limit=self._job.limit)
        system = self._job.system
        loaded = Translator.load(
            self._job.trained, settings, system.distortion, search=system.decoder
        )
        lms = loaded.lm.feature_names
        weights = starting_weights(loaded.distortion, lms, has_rules=system.is_chart)
        return loaded.with_weights(weights)

    @cached_property
    def _text(self) -> TextPipelines | None:
        return load_text(self._job.trained)

    def tune(self, folder: Path) -> str:
        began = time.process_time()
        dev = load(self._job.configuration.dev, self._text)
        tuned_on, held_out = split(dev, self._job.tune.protocol)
        reporter, decoded = _listeners(self._say, self._keep)
        task = TuningTask(
            self.translator, tuned_on, self._job.tune, threads=1, model=self._job.tuned_key,
            reporter=reporter, decoded=decoded,
        )  # fmt: skip
        trace: list[dict[str, Any]] = []
        if self._job.tune.method == UNTUNED or self._job.lenders:
            weights = self._known_weights(task)
            score = choice = measure(task, weights)
        else:
            result = self._resumed(task)
            weights, score, trace = result.weights, result.dev_score, _plain(result.trace)
            choice = score
        if held_out is not None:
            choice = measure(replace(task, dev=held_out), weights)
        _write(
            folder / "tuned.json",
            {"weights": weights, "dev_score": score, "trace": trace, "choice_score": choice},
        )
        _write_cost(folder, began)
        return "done"

    def decode(self, test: DataSet, folder: Path) -> str:
        content = _read(self._job.tuned / "tuned.json")
        translator = self.translator.with_weights(content["weights"])
        sentences = load(test, self._text, tested=True)
        translator.decode(sentences.sources[0])  # loads the kernels before the clock starts
        began = time.process_time()
        with open_to_write(folder / "outputs.jsonl") as out:
            for number, output in enumerate(_translate(translator, sentences), 1):
                out.write(json.dumps(asdict(output), ensure_ascii=False).encode() + b"\n")
                if number % OFTEN == 0:
                    self._say(f"{test.name}: sentences", number)
        _write_cost(folder, began, sentences=len(sentences))
        return "done"

    def score(self, test: DataSet, folder: Path) -> str:
        self._say(f"{test.name}: scoring", 0)
        sentences = load(test, self._text, tested=True)
        outputs = as_outputs(sentences, _read_outputs(self._job.decoded(test)))
        metrics = metrics_of(self._job.configuration, sentences)
        arrays = {metric.name: metric.statistics(outputs) for metric in metrics}
        save_arrays(folder, FORMAT, {}, arrays, {})
        return "done"

    def _known_weights(self, task: TuningTask) -> dict[str, float]:
        """Weights that need no tuning: the mean of the lenders' weights, or the initial weights."""
        if self._job.lenders:
            runs = [_read(job.tuned / "tuned.json")["weights"] for job in self._job.lenders]
            return average(task.vector, runs)
        return {name: self.translator.weights[name] for name in self.translator.feature_names}

    def _keep(self) -> None:
        """Saves the results of the previous iterations."""
        if self._job.state.exists():
            self._keep_state()

    def _resumed(self, task: TuningTask) -> TuneResult:
        """Resumes an earlier run; starts over if its state is damaged."""
        make_folder(self._job.state.parent)
        try:
            return tune(task, self._job.state)
        except DataError as error:
            if not error.where.startswith(str(self._job.state)):
                raise
            shutil.rmtree(self._job.state)
            return tune(task, self._job.state)


def _listeners(say: Progress, keep: Callable[[], None]) -> tuple[Reporter, Callable[[Trace], None]]:
    """Reports the last score and the current activity."""
    last = ""

    def decoded(trace: Trace) -> None:
        nonlocal last
        last = f"iteration {len(trace.steps) - 1}: {trace.metric} {trace.steps[-1].score:.2f}"
        say(last, 0)
        keep()

    def progress(what: str, count: int) -> None:
        if count % OFTEN == 0:
            say(f"{last}; {what}" if last else what, count)

    return Reporter(progress=progress), decoded


def _plain(trace: Trace) -> list[dict[str, Any]]:
    return [
        {
            "iteration": number,
            "score": step.score,
            "length": step.length,
            "pool": step.pool_size,
            "weights": step.weights,
        }
        for number, step in enumerate(trace.steps)
    ]


def _translate(translator: Translator, sentences: Sentences) -> Iterator[Output]:
    for number, result in enumerate(decode_all(translator, sentences.sources), 1):
        if isinstance(result, Failure):
            result.error.where = f"{sentences.name}, sentence {number}"
            raise result.error
        words, text = result.words(), translator.preparation
        tokens = () if text.text is None else words
        yield Output(text.joined(words), result.links(), result.spans(), tokens)


def _names_and_files(data: DataSet) -> list[str | Path]:
    return list(chain.from_iterable(data.files.items()))


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _read_outputs(folder: Path) -> list[Output]:
    with (folder / "outputs.jsonl").open(encoding="utf-8", newline="\n") as lines:
        return [Output(**json.loads(line)) for line in lines]


def _write_cost(folder: Path, began: float, **more: int) -> None:
    seconds, today = time.process_time() - began, datetime.now(UTC).date().isoformat()
    content = {"seconds": seconds, "megabytes": peak_megabytes(), "date": today, **more}
    _write(folder / "cost.json", content)


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with open_to_write(path) as stream:
        stream.write(json.dumps(content, ensure_ascii=False, indent=1).encode())
