"""The tuning loop: decode, add the n-best lists to the pool, optimise on the pool, decode again.

    weights ──decode──▶ n-best lists ──▶ pool ──optimise──▶ weights
                  └──▶ score of the development set under these weights

Every decoding is scored, and the best weights of all are the result, including those that the run
was given: it never returns worse ones. At the end, more must have been gained than the development
set flatters weights that it has taught (`tuning/weights/held_out.py`).

A run ends when a decoding finds nothing new (unless the optimiser is `gradual`, like PRO, which
mixes old and new weights), when the optimiser leaves the weights where they are, when `patience`
decodings in a row were no better than the best, or after the last iteration.

A decoding that is not half as good as the best has shown the optimiser hypotheses that it had not
thought of, mostly far too long ones. They stay in the pool; the run goes back to the best weights,
takes a smaller step, and gives up when that has happened three times. To make that rare, MIRA goes
only half of the way on the first pool.

All randomness comes from the seed and the number of the round, so a resumed run ends like one that
was never stopped, and the number of threads does not matter.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

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

STILL = 1e-6  # weights that change less do not move
MOST_FALLS = 3  # steps that may fail


@dataclass(frozen=True)
class TuneResult:
    weights: dict[str, float]  # the best, by name
    dev_score: float  # of a decoding with them
    initial_score: float
    trace: Trace


class Growth:
    """Adds derivations of the last decoding's lattices to the pool when an optimiser asks."""

    def __init__(self, task: TuningTask, lattices: Sequence[BestArcs]) -> None:
        self._task, self._lattices = task, lattices
        names, objective = task.vector.names, task.objective
        self.found = Pool.empty(len(task.dev), len(names), objective.n_statistics)  # so far

    def __call__(self, pool: Pool, lines: Lines) -> Pool:
        """The pool with all derivations that are best somewhere on the lines."""
        task = self._task
        task.reporter.progress("best derivations on lines", len(lines.reach))
        with ThreadPoolExecutor(task.threads) as executor:
            winners = executor.map(lambda lattice: lattice.winners(lines), self._lattices)
            vocabulary = task.translator.phrases.target_vocabulary
            links = task.objective.needs_visits
            lists = (listed(decoded, links=links) for decoded in winners)
            hypotheses = collect(lists, task.dev.sources, vocabulary)
        new, _ = task.unseen(pool, hypotheses)
        self.found = self.found.merge(new)
        return pool.merge(new)


def tune(task: TuningTask, state: Path | None = None) -> TuneResult:
    """One run, from the weights of the translator.

    With `state`, a folder, a run that was stopped there resumes if nothing has changed.
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
        task.settings.iterations,
        task.fingerprints(),
        following=vector.by_name(vector.normalise(vector.vector(task.translator.weights))),
    )
    pool = Pool.empty(len(task.dev), len(vector.names), objective.n_statistics)
    trace, pool = resume(state, fresh, pool, task.reporter.talk)
    trace = _run(task, trace, pool, state)
    kept = trace.steps[trace.kept]
    return TuneResult(kept.weights, kept.score, trace.steps[0].score, trace)


def _run(task: TuningTask, trace: Trace, pool: Pool, state: Path | None) -> Trace:
    """Decodes and optimises in turn until there is a reason to stop."""
    lattices: list[BestArcs] = []
    while not trace.stopped:
        if trace.following is not None:
            began = time.monotonic()
            hypotheses, lattices = decode(task, trace.following, task.settings.n_best)
            pool, found, step = _add(task, trace, pool, hypotheses)
            step = replace(step, seconds=time.monotonic() - began)
            trace = replace(trace, steps=(*trace.steps, step), following=None)
            task.decoded(trace)
            if _has_fallen(trace):
                task.reporter.talk(trace.fall_line)
            if why := _reason_to_stop(task, trace):
                trace = _end(task, trace, pool, why)
            save(state, trace, found)
        else:
            began = time.monotonic()
            step = trace.steps[-1]
            if not lattices and task.settings.optimiser.arcs:  # a run that was stopped here
                _, lattices = decode(task, step.weights, task.settings.n_best)
            growth = Growth(task, lattices)
            weights = _next_weights(task, trace, pool, growth)
            pool = pool.merge(growth.found)
            seconds = step.seconds + time.monotonic() - began
            after = replace(step, seconds=seconds, pool_size=len(pool))
            following = task.vector.by_name(weights)
            trace = replace(trace, steps=(*trace.steps[:-1], after), following=following)
            if np.abs(weights - task.vector.vector(step.weights)).max() < STILL:
                trace = _end(task, trace, pool, "no weight moves")
            save(state, trace, growth.found if lattices else None)
    return trace


def _end(task: TuningTask, trace: Trace, pool: Pool, why: str) -> Trace:
    """Finds out whether what was learned holds on unseen sentences."""
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
    """The n-best lists of the development set, and the lattices if the optimiser wants them."""
    n_arcs = task.settings.optimiser.arcs if n_best > 1 else 0
    translator = task.translator.with_weights(weights, lattice=n_arcs > 0)
    lists, lattices = list[NBestList](), list[BestArcs]()
    with nullcontext(task.workers) if task.workers else Threads(task.threads) as workers:
        finish = CollectNBest(
            links=task.objective.needs_visits, n_arcs=n_arcs, are_sent=workers.is_far
        )
        search = Search(finish, n_best, task.settings.distinct)
        asked = ((one, None) for one in task.dev.sources)
        results = search_all(translator, asked, search, workers, origin=task.origin)
        with closing(results):  # its tasks end with it, whatever happens
            for number, (sentence, found) in enumerate(zip(task.dev.sources, results, strict=True)):
                if isinstance(found, HyperbatonError):
                    raise _untranslated(number, found)
                task.reporter.progress("decoding the development set", number + 1)
                lists.append(found.hypotheses)
                if found.arcs is not None:
                    lattices.append(found.arcs.restored(translator, sentence))
    return collect(lists, task.dev.sources, translator.phrases.target_vocabulary), lattices


def _untranslated(number: int, error: HyperbatonError) -> DataError:
    return DataError(
        f"sentence {number + 1} of the development set cannot be translated: {error.what}",
        expected=error.expected,
        advice=error.advice or "take it out of the development set",
    )


def _add(
    task: TuningTask, trace: Trace, pool: Pool, hypotheses: Hypotheses
) -> tuple[Pool, Pool, TraceStep]:
    """The pool with the new hypotheses, these alone, and the score of the best translations."""
    found, statistics = task.unseen(pool, hypotheses)
    score = float(task.objective.score(statistics[hypotheses.offsets[:-1]].sum(axis=0)))
    pool = pool.merge(found)
    weights = dict(trace.following or {})
    before = trace.steps[-1].weights if trace.steps else weights
    move = max(abs(weights[name] - before[name]) for name in weights)
    shown, length = task.objective.shown(score), hypotheses.length_ratio(task.dev)
    return pool, found, TraceStep(weights, shown, length, len(pool), len(found), move, 0.0)


def _has_fallen(trace: Trace) -> bool:
    return len(trace.steps) - 1 in trace.falls


def _next_weights(task: TuningTask, trace: Trace, pool: Pool, growth: Growth) -> FloatArray:
    """New weights from the pool. After a fall, which has taught it what is bad, a part of the way
    from the best weights: a half, then a quarter."""
    *earlier, last = (task.vector.vector(step.weights) for step in trace.steps)
    if not _has_fallen(trace):
        found = task.vector.normalise(_optimise(task, trace, pool, growth, last, earlier))
        share = 1.0 if earlier else task.settings.optimiser.first_step
        return found if share == 1.0 else task.vector.normalise(last + (found - last) * share)
    best = task.vector.vector(trace.steps[trace.best].weights)
    found = task.vector.normalise(_optimise(task, trace, pool, growth, best, [*earlier, last]))
    return task.vector.normalise(best + (found - best) / 2 ** len(trace.falls))


def _optimise(
    task: TuningTask,
    trace: Trace,
    pool: Pool,
    growth: Growth,
    last: FloatArray,
    earlier: Sequence[FloatArray],
) -> FloatArray:
    """What the optimiser makes of the pool, from the weights `last`."""
    if len(trace.steps) == 1:
        check_pool(task, pool)
    task.reporter.progress(f"{task.settings.method} on hypotheses", len(pool))
    own = task.vector
    start = Start(last, own.tuned, earlier, task.threads, task.sizes, own.scaled, growth)
    seed = np.random.SeedSequence([task.settings.seed, len(trace.steps)])
    return task.settings.optimiser.improve(pool, task.objective, start, seed)


def _reason_to_stop(task: TuningTask, trace: Trace) -> str:
    step, n_rounds = trace.steps[-1], len(trace.steps) - 1
    optimiser = task.settings.optimiser
    is_whole_step = n_rounds > 1 or optimiser.first_step == 1.0
    if n_rounds and is_whole_step and not step.n_new and not optimiser.gradual:
        return "the pool does not grow"
    if len(trace.falls) >= MOST_FALLS:
        return f"{MOST_FALLS} iterations were not half as good as the best"
    if n_rounds >= task.settings.iterations:
        return f"{n_rounds} iterations"
    patience = task.settings.patience
    if patience and n_rounds - trace.best >= patience:
        return f"no better score in {patience} iterations"
    return ""
