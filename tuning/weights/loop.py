"""The tuning loop: decode, add the n-best lists to the pool, optimise on the pool, decode again.

    weights ──decode──▶ n-best lists ──▶ pool ──optimise──▶ weights
                  └──▶ score of the development set under these weights

Every decoding is scored, and the best weights of all are the result, including the initial ones: a
run never returns worse weights. At the end, the gain must exceed the optimism of development scores
(`tuning/weights/held_out.py`).

A run ends when a decoding adds nothing to the pool (unless the optimiser is `gradual`, like PRO,
which mixes old and new weights), when the optimiser does not change the weights, when `patience`
decodings in a row did not improve on the best, or after the last iteration.

A decoding with less than half the best score has found hypotheses that the pool lacked, mostly far
too long ones. They stay in the pool; the run returns to the best weights, takes a smaller step, and
stops after three such falls. To make falls rare, MIRA takes only half a step on the first pool.

All random numbers depend only on the seed and the round, so a resumed run ends like one that was
never stopped, and the number of threads does not change the result.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from hyperbaton.decoder.stream import Search, search_all
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError, HyperbatonError
from hyperbaton.foundation.work.workers import Threads
from hyperbaton.tuning.optimisers.interface import Lines, Start
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.weights.held_out import WeightChange, check_pool, judge_unseen
from hyperbaton.tuning.weights.hypotheses import (
    CollectNBest,
    Hypotheses,
    NBestList,
    collect,
    listed,
)
from hyperbaton.tuning.weights.lattice_lines import BestArcs
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.trace import Trace, TraceStep, resume, save

STILL = 1e-6  # smaller changes of weights count as none
MOST_FALLS = 3  # falls after which a run stops


@dataclass(frozen=True)
class TuneResult:
    weights: dict[str, float]  # the best, by feature name
    dev_score: float  # when decoding with them
    initial_score: float
    trace: Trace


class Growth:
    """Callback for optimisers: adds derivations of the last decoding's lattices to the pool."""

    def __init__(self, task: TuningTask, lattices: Sequence[BestArcs]) -> None:
        self._task, self._lattices = task, lattices
        names, objective = task.vector.names, task.objective
        self.added = Pool.empty(len(task.dev), len(names), objective.n_statistics)  # added so far

    def __call__(self, pool: Pool, lines: Lines) -> Pool:
        """Adds all derivations that are best somewhere on the lines."""
        task = self._task
        task.reporter.progress("best derivations on lines", len(lines.reach))
        with ThreadPoolExecutor(task.threads) as executor:
            winners = executor.map(lambda lattice: lattice.winners(lines), self._lattices)
            vocabulary = task.translator.phrases.target_vocabulary
            links = task.objective.needs_visits
            lists = (listed(decoded, links=links) for decoded in winners)
            hypotheses = collect(lists, task.dev.sources, vocabulary)
        new, _ = task.unseen(pool, hypotheses)
        self.added = self.added.merge(new)
        return pool.merge(new)


def tune(task: TuningTask, state: Path | None = None) -> TuneResult:
    """Runs tuning once, starting from the weights of the translator.

    With `state`, a folder, a stopped run resumes if its inputs have not changed.
    """
    task.check()
    task.settings.optimiser.check_settings()
    task.warn_of_few_sentences()
    objective, vector = task.objective, task.vector
    fresh = Trace(
        task.settings.method,
        objective.name,
        objective.signature,
        objective.shown_sign > 0,
        task.settings.seed,
        task.settings.most_rounds,
        task.fingerprints(),
        following=vector.by_name(vector.normalise(vector.vector(task.translator.weights))),
    )
    pool = Pool.empty(len(task.dev), len(vector.names), objective.n_statistics)
    trace, pool = resume(state, fresh, pool, task.reporter.talk)
    with threadpool_limits(1, "blas"):  # its threads would wait for work and keep the cores busy
        trace = _run(task, trace, pool, state)
    kept = trace.steps[trace.kept]
    return TuneResult(kept.weights, kept.score, trace.steps[0].score, trace)


def _run(task: TuningTask, trace: Trace, pool: Pool, state: Path | None) -> Trace:
    """Alternates decoding and optimising until there is a reason to stop."""
    lattices: list[BestArcs] = []
    while not trace.stopped:
        if trace.following is not None:
            began = time.monotonic()
            hypotheses, lattices = decode(task, trace.following, task.settings.n_best)
            pool, added, step = _add(task, trace, pool, hypotheses)
            step = replace(step, seconds=time.monotonic() - began)
            trace = replace(trace, steps=(*trace.steps, step), following=None)
            task.decoded(trace)
            if _has_fallen(trace):
                task.reporter.talk(trace.fall_line)
            if why := _reason_to_stop(task, trace):
                trace = _end(task, trace, pool, why)
            save(state, trace, added)
        else:
            began = time.monotonic()
            step = trace.steps[-1]
            if not lattices and task.settings.optimiser.arcs:  # resumed after a decoding
                _, lattices = decode(task, step.weights, task.settings.n_best)
            growth = Growth(task, lattices)
            weights = _next_weights(task, trace, pool, growth)
            pool = pool.merge(growth.added)
            seconds = step.seconds + time.monotonic() - began
            after = replace(step, seconds=seconds, pool_size=len(pool))
            following = task.vector.by_name(weights)
            trace = replace(trace, steps=(*trace.steps[:-1], after), following=following)
            if np.abs(weights - task.vector.vector(step.weights)).max() < STILL:
                trace = _end(task, trace, pool, "weights unchanged")
            save(state, trace, growth.added if lattices else None)
    return trace


def _end(task: TuningTask, trace: Trace, pool: Pool, why: str) -> Trace:
    """Ends a run; estimates whether its gain holds on unseen sentences."""
    if trace.best and task.settings.confirm:
        steps = trace.steps[0], trace.steps[trace.best]
        before, after = (task.vector.vector(step.weights) for step in steps)
        change = WeightChange(before, after, *(step.score for step in steps))
        held_out = judge_unseen(task, pool, change, len(trace.steps) - 1)
        trace = replace(trace, held_out=held_out)
        if held_out is not None:
            task.reporter.talk(held_out.line(trace.metric))
    return trace.ended(why)


def measure(task: TuningTask, weights: Mapping[str, float]) -> float:
    task.check()
    hypotheses, _ = decode(task, weights, n_best=1)
    statistics = hypotheses.statistics(hypotheses.offsets[:-1], task.objective, task.dev)
    return task.objective.shown(float(task.objective.score(statistics.sum(axis=0))))


def decode(
    task: TuningTask, weights: Mapping[str, float], n_best: int
) -> tuple[Hypotheses, list[BestArcs]]:
    """Decodes the development set into n-best lists, and lattices if the optimiser uses them."""
    n_arcs = task.settings.optimiser.arcs if n_best > 1 else 0
    translator = task.translator.with_weights(weights, lattice=n_arcs > 0)
    lists, lattices = list[NBestList](), list[BestArcs]()
    with nullcontext(task.workers) if task.workers else Threads(task.threads) as workers:
        finish = CollectNBest(
            links=task.objective.needs_visits, n_arcs=n_arcs, are_sent=workers.is_far
        )
        search = Search(finish, n_best, task.settings.distinct)
        unconstrained = ((sentence, None) for sentence in task.dev.sources)
        results = search_all(translator, unconstrained, search, workers, origin=task.origin)
        with closing(results):  # also cancels its tasks after an error
            pairs = zip(task.dev.sources, results, strict=True)
            for number, (sentence, result) in enumerate(pairs):
                if isinstance(result, HyperbatonError):
                    raise _untranslated(number, result)
                task.reporter.progress("decoding the development set", number + 1)
                lists.append(result.hypotheses)
                if result.arcs is not None:
                    lattices.append(result.arcs.restored(translator, sentence))
    return collect(lists, task.dev.sources, translator.phrases.target_vocabulary), lattices


def _untranslated(number: int, error: HyperbatonError) -> DataError:
    return DataError(
        f"sentence {number + 1} of the development set cannot be translated: {error.what}",
        expected=error.expected,
        advice=error.advice or "remove it from the development set",
    )


def _add(
    task: TuningTask, trace: Trace, pool: Pool, hypotheses: Hypotheses
) -> tuple[Pool, Pool, TraceStep]:
    """Adds hypotheses to the pool; returns it, the new hypotheses, and the step with its score."""
    added, statistics = task.unseen(pool, hypotheses)
    score = float(task.objective.score(statistics[hypotheses.offsets[:-1]].sum(axis=0)))
    pool = pool.merge(added)
    weights = dict(trace.following or {})
    before = trace.steps[-1].weights if trace.steps else weights
    move = max(abs(weights[name] - before[name]) for name in weights)
    shown, length = task.objective.shown(score), hypotheses.length_ratio(task.dev)
    return pool, added, TraceStep(weights, shown, length, len(pool), len(added), move, 0.0)


def _has_fallen(trace: Trace) -> bool:
    return len(trace.steps) - 1 in trace.falls


def _next_weights(task: TuningTask, trace: Trace, pool: Pool, growth: Growth) -> FloatArray:
    """New weights from the pool. After a fall, only a part of the step from the best weights: half
    of it, then a quarter."""
    *earlier, last = (task.vector.vector(step.weights) for step in trace.steps)
    if not _has_fallen(trace):
        new = task.vector.normalise(_optimise(task, trace, pool, growth, last, earlier))
        share = min(1.0, len(trace.steps) * task.settings.optimiser.first_step)
        return new if share == 1.0 else task.vector.normalise(last + (new - last) * share)
    best = task.vector.vector(trace.steps[trace.best].weights)
    new = task.vector.normalise(_optimise(task, trace, pool, growth, best, [*earlier, last]))
    return task.vector.normalise(best + (new - best) / 2 ** len(trace.falls))


def _optimise(
    task: TuningTask,
    trace: Trace,
    pool: Pool,
    growth: Growth,
    last: FloatArray,
    earlier: Sequence[FloatArray],
) -> FloatArray:
    """Runs the optimiser on the pool, starting from the weights `last`."""
    if len(trace.steps) == 1:
        check_pool(task, pool)
    task.reporter.progress(f"{task.settings.method} on hypotheses", len(pool))
    vector = task.vector
    start = Start(last, vector.tuned, earlier, task.threads, task.sizes, vector.scaled, growth)
    seed = np.random.SeedSequence([task.settings.seed, len(trace.steps)])
    return task.settings.optimiser.improve(pool, task.objective, start, seed)


def _reason_to_stop(task: TuningTask, trace: Trace) -> str:
    step, n_rounds = trace.steps[-1], len(trace.steps) - 1
    optimiser = task.settings.optimiser
    is_whole_step = n_rounds * optimiser.first_step >= 1.0
    if n_rounds and is_whole_step and not step.n_new and not optimiser.gradual:
        return "nothing new for the pool"
    if len(trace.falls) >= MOST_FALLS:
        return f"{MOST_FALLS} iterations below half of the best score"
    if n_rounds >= task.settings.most_rounds:
        return f"{n_rounds} iterations"
    patience = task.settings.most_waiting
    if patience and is_whole_step and n_rounds - trace.best >= patience:
        return f"no better score in {patience} iterations"
    return ""
