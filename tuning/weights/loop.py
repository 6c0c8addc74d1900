"""The tuning loop: decode, add the n-best lists to the pool, optimise on the pool, decode again.

    weights ──decode──▶ n-best lists ──▶ pool ──optimise──▶ weights
                  └──▶ score of the development set under these weights

The score of every decoding is measured, and the best weights of all are returned, those that the
run was given included: it never returns worse ones. It ends when a decoding finds nothing new, when
the optimiser leaves the weights where they are, when `patience` decodings in a row were no better
than the best, or after so many rounds. (PRO mixes old and new weights, so it goes on without new
hypotheses.)

Everything random comes from the seed and the number of the round, so a run that was stopped and
goes on ends like one that was not, and the number of threads does not matter.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from decoder.decoded import Decoded
from decoder.translator import Failure, Translator
from models.arrays import FloatArray
from models.data.sentence import Sentence
from models.errors import DataError
from models.progress import Progress
from tuning.optimisers.mert import mert
from tuning.optimisers.mira import mira
from tuning.optimisers.pool import Pool
from tuning.optimisers.pro import pro
from tuning.weights.hypotheses import Hypotheses, collect
from tuning.weights.settings import TuneSettings, check_settings
from tuning.weights.state import Found, TuningState, stopped
from tuning.weights.task import Talk, Task, check_pool, fingerprints, make_task, warn_of_few
from tuning.weights.trace import Step, Trace

__all__ = ["TuneResult", "TuneSettings", "check_settings", "measure", "tune"]
GRADUAL = ("pro",)  # goes on from the same pool: it only goes a part of the way in each round
STILL = 1e-6  # weights that change less do not move


@dataclass(frozen=True)
class TuneResult:
    weights: dict[str, float]  # the best by name
    dev_score: float  # that decoding with them has reached
    initial_score: float
    trace: Trace


def tune(
    translator: Translator,
    sentences: Sequence[Sentence],
    references: Sequence[Sequence[str]],
    settings: TuneSettings = TuneSettings(),
    state: Path | None = None,
    progress: Progress | None = None,
    *,
    fixed: Sequence[str] = (),
    reference_visits: Sequence[Sequence[int]] | None = None,
    threads: int = 2,
    model: str = "",
    talk: Talk = lambda _: None,
) -> TuneResult:
    """One run, from the weights of the translator.

    `references` has one or more for every sentence; metrics of word order also need
    `reference_visits`. With `state`, a folder, a run that was stopped goes on there if nothing has
    changed: `model` is whatever tells the system from others. Features in `fixed` keep their
    weights.
    """
    task = make_task(
        translator, sentences, references, settings, progress, fixed, reference_visits, threads,
        talk,
    )  # fmt: skip
    warn_of_few(sentences, talk)
    objective, vector = task.objective, task.vector
    fresh = Trace(
        settings.method,
        objective.name,
        objective.signature,
        objective.shown_sign > 0,
        settings.seed,
        fingerprints(task, model),
        following=vector.by_name(vector.normalise(vector.vector(translator.weights))),
    )
    kept = TuningState(state)
    pool = Pool.empty(len(sentences), len(vector.names), objective.n_statistics)
    trace, pool = kept.resume(fresh, pool, talk)
    trace = _run(task, trace, pool, kept)
    best = trace.steps[trace.best]
    return TuneResult(best.weights, best.score, trace.steps[0].score, trace)


def _run(task: Task, trace: Trace, pool: Pool, kept: TuningState) -> Trace:
    """Goes on until there is a reason to stop."""
    while not trace.stopped:
        if trace.following is not None:
            began = time.monotonic()
            hypotheses = _decode(task, trace.following, task.settings.n_best)
            pool, found, step = _measure(task, trace, pool, hypotheses)
            step = replace(step, seconds=time.monotonic() - began)
            trace = replace(trace, steps=(*trace.steps, step), following=None)
            _tell(task, trace)
            if why := _reason_to_stop(task, trace):
                trace = stopped(trace, why)
            kept.save(trace, found)
        else:
            began = time.monotonic()
            last = task.vector.vector(trace.steps[-1].weights)
            weights = task.vector.normalise(_optimise(task, trace, pool))
            seconds = time.monotonic() - began
            step = replace(trace.steps[-1], seconds=trace.steps[-1].seconds + seconds)
            following = task.vector.by_name(weights)
            trace = replace(trace, steps=(*trace.steps[:-1], step), following=following)
            if np.abs(weights - last).max() < STILL:
                trace = stopped(trace, "no weight moves")
            kept.save(trace)
    return trace


def _decode(task: Task, weights: Mapping[str, float], n_best: int) -> Hypotheses:
    """The n-best lists of the development set."""
    translator = task.translator.with_weights(weights)
    results = translator.stream(
        task.sentences,
        threads=task.threads,
        n_best=n_best,
        distinct=task.settings.distinct,
    )

    def good() -> Iterator[Decoded]:
        for number, result in enumerate(results, 1):
            if isinstance(result, Failure):
                raise DataError(
                    f"sentence {number} of the development set cannot be translated: "
                    f"{result.error.what}",
                    expected=result.error.expected,
                    advice=result.error.advice or "take it out of the development set",
                )
            if task.progress is not None:
                task.progress("decoding the development set", number)
            yield result

    vocabulary = translator.phrases.target_vocabulary
    with closing(results):  # its threads end with it, whatever happens
        return collect(good(), task.sentences, vocabulary, links=task.objective.needs_visits)


def measure(
    translator: Translator,
    sentences: Sequence[Sentence],
    references: Sequence[Sequence[str]],
    settings: TuneSettings = TuneSettings(),
    progress: Progress | None = None,
    *,
    reference_visits: Sequence[Sequence[int]] | None = None,
    threads: int = 2,
) -> float:
    """What the sentences score when they are decoded with the translator's own weights."""
    task = make_task(
        translator, sentences, references, settings, progress, (), reference_visits, threads,
        lambda _: None,
    )  # fmt: skip
    hypotheses = _decode(task, translator.weights, n_best=1)
    best = hypotheses.offsets[:-1]
    statistics = hypotheses.statistics(best, task.objective, references, reference_visits)
    return task.objective.shown(float(task.objective.score(statistics.sum(axis=0))))


def _measure(
    task: Task, trace: Trace, pool: Pool, hypotheses: Hypotheses
) -> tuple[Pool, Found, Step]:
    """The pool with what is new, the new part, and the score of the best translations."""
    keys = hypotheses.keys
    is_new, same = pool.first_of_each(keys, hypotheses.offsets)
    new = np.flatnonzero(is_new)
    if task.progress is not None and len(new):
        task.progress(f"{task.objective.name} of new hypotheses", len(new))
    statistics = np.zeros((len(keys), pool.statistics.shape[1]))
    statistics[new] = hypotheses.statistics(
        new, task.objective, task.references, task.reference_visits
    )
    best = same[hypotheses.offsets[:-1]]  # the first of each list, where it is counted
    counted = np.concatenate([pool.statistics, statistics])[best]
    score = float(task.objective.score(counted.sum(axis=0)))
    sentence = np.searchsorted(hypotheses.offsets, new, side="right") - 1
    counts = np.bincount(sentence, minlength=pool.n_sentences)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    found = Found(hypotheses.features[new], statistics[new], keys[new], offsets)
    pool = pool.merge(found.features, found.statistics, found.keys, found.offsets)
    weights = dict(trace.following or {})
    move = 0.0
    if trace.steps:
        before = trace.steps[-1].weights
        move = max(abs(weights[name] - before[name]) for name in weights)
    return pool, found, Step(weights, task.objective.shown(score), len(pool), len(new), move, 0.0)


def _optimise(task: Task, trace: Trace, pool: Pool) -> FloatArray:
    """New weights from the pool."""
    if len(trace.steps) == 1:
        check_pool(task, pool)
    if task.progress is not None:
        task.progress(f"{task.settings.method} on hypotheses", len(pool))
    last = task.vector.vector(trace.steps[-1].weights)
    seed = np.random.SeedSequence([task.settings.seed, len(trace.steps)])
    settings, tuned = task.settings, task.vector.tuned
    if settings.method == "pro":
        return pro(
            pool, task.objective, last, tuned, seed=seed, candidates=settings.candidates,
            pairs=settings.pairs, threshold=settings.threshold,
            interpolation=settings.interpolation, free_scale=task.vector.scaled,
        )  # fmt: skip
    if settings.method == "mira":
        return mira(
            pool, task.objective, last, tuned, seed=seed, passes=settings.passes,
            step=settings.step, decay=settings.decay,
        )  # fmt: skip
    earlier = [task.vector.vector(step.weights) for step in trace.steps[:-1]]
    return mert(
        pool, task.objective, last, tuned, seed=seed, restarts=settings.restarts,
        directions=settings.directions, earlier=earlier, threads=task.threads,
    )  # fmt: skip


def _reason_to_stop(task: Task, trace: Trace) -> str:
    step, n_rounds = trace.steps[-1], len(trace.steps) - 1
    if n_rounds and not step.n_new and task.settings.method not in GRADUAL:
        return "the pool does not grow"
    if n_rounds >= task.settings.iterations:
        return f"{n_rounds} iterations"
    patience = task.settings.patience
    if patience and n_rounds - trace.best >= patience:
        return f"no better score in {patience} iterations"
    return ""


def _tell(task: Task, trace: Trace) -> None:
    step, number = trace.steps[-1], len(trace.steps) - 1
    task.talk(
        f"iteration {number:>2}: {trace.metric} {step.score:.2f}, pool {step.pool_size:,} "
        f"(+{step.n_new:,}), largest move {step.move:.3f}, {step.seconds:.1f} s"
    )
