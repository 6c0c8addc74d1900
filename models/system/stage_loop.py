"""The stages of training, and the loop that runs them.

A stage is a plain value; creating one starts no work. The loop finishes stages in order. Remote
workers start a stage that one worker can do alone (`is_task`) as soon as its inputs are ready, so
such stages overlap; the other stages are run from here and divide their work into tasks.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.files import corpus_at
from hyperbaton.foundation.progress import Reporter
from hyperbaton.foundation.work.workers import Crew, Threads, Workers
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.phrases.building import WORK_FOLDER
from hyperbaton.models.system.stages import BROUGHT, PARTS, part_of, run_stage
from hyperbaton.models.system.training_inputs import TrainingCorpus


@dataclass(frozen=True)
class Bench:
    """The resources of a stage, on whichever machine it runs."""

    here: Workplace
    corpus: Callable[[], AlignedCorpus]
    inputs: Mapping[str, Path]  # results of earlier stages, on the machine of the command
    crew: Crew
    threads: int  # of this process
    memory: int  # bytes


@dataclass(frozen=True)
class Stage:
    name: str
    key: str
    function: Callable[[Bench, Path], str]  # fills a folder and returns a short summary
    inputs: tuple["Stage", ...] = ()  # stages whose results it needs
    is_task: bool = False  # whether one remote worker can do it alone
    resumes: bool = False  # whether it can use partial results of a killed run

    @property
    def part(self) -> str:
        """The folder of its result."""
        return part_of(self.name, self.key)


@dataclass(frozen=True, eq=False)
class StageLoop:
    out: Path
    corpus: TrainingCorpus
    workers: Workers
    threads: int
    memory: int
    reporter: Reporter

    def run(self, stages: Sequence[Stage]) -> None:
        """Runs the stages; each must come after the stages that it needs."""
        begun, finished = dict[str, Future[str]](), set[str]()
        for stage in stages:
            for other in stages:
                is_ready = finished.issuperset(needed.part for needed in other.inputs)
                if is_ready and self._is_sent(other) and not (self.out / other.part).is_dir():
                    begun[other.part] = begun.get(other.part) or self._send(other)
            work = partial(self._fetch, begun) if self._is_sent(stage) else self._do
            run_stage(
                self.out, stage.name, stage.key, partial(work, stage),
                self.reporter, resumes=stage.resumes,
            )  # fmt: skip
            finished.add(stage.part)

    def _is_sent(self, stage: Stage) -> bool:
        return stage.is_task and self.workers.is_far

    def _do(self, stage: Stage, folder: Path) -> str:
        here, crew = Workplace(self.reporter.progress), Crew(self.workers, folder / WORK_FOLDER)
        inputs = self._inputs(stage)
        bench = Bench(here, lambda: self.corpus.read()[0], inputs, crew, self.threads, self.memory)
        summary = stage.function(bench, folder)
        shutil.rmtree(folder / WORK_FOLDER, ignore_errors=True)
        return summary

    def _send(self, stage: Stage) -> Future[str]:
        home, corpus = self._brought(stage), self.corpus.saved().absolute()
        self.workers.serve(reads=[self.out / PARTS], writes=[home])
        inputs = self._inputs(stage)
        return self.workers.submit(
            work_elsewhere, stage.function, corpus, inputs, self.memory, home
        )

    def _fetch(self, begun: Mapping[str, Future[str]], stage: Stage, folder: Path) -> str:
        summary, home = (begun.get(stage.part) or self._send(stage)).result(), self._brought(stage)
        for path in home.iterdir():
            path.rename(folder / path.name)
        home.rmdir()
        return summary

    def _brought(self, stage: Stage) -> Path:
        return (self.out / f"{stage.part}{BROUGHT}").absolute()

    def _inputs(self, stage: Stage) -> dict[str, Path]:
        return {needed.name: (self.out / needed.part).absolute() for needed in stage.inputs}


def work_elsewhere(
    here: Workplace,
    function: Callable[[Bench, Path], str],
    corpus: Path,
    inputs: Mapping[str, Path],
    memory: int,
    home: Path,
) -> str:
    """Runs a whole stage as a remote task: fetches the corpus, and sends back the results."""
    with here.working_in(home.parent) as place, Threads(1) as workers:
        folder = place / home.name
        folder.mkdir(parents=True, exist_ok=True)
        crew = Crew(workers, folder / WORK_FOLDER)
        summary = function(
            Bench(here, lambda: corpus_at(here, corpus), inputs, crew, 1, memory), folder
        )
        here.put(folder, home)
    return summary
