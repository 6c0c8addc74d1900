"""Weights that maximise Σ log p(t, j | s) − Σ λ² / 2σ², by L-BFGS."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from models.arrays import FloatArray, Int64Array
from models.distortion.parse.likelihood import Task, log_likelihood


def maximise(
    task: Task,
    counts: Int64Array,  # (F,) how often each feature fires with what happened
    variance: float,
    iterations: int,
    threads: int,
    report: Callable[[int], None] = lambda _: None,
    tolerance: float = 1e-5,
) -> tuple[FloatArray, float]:
    """The weights and the mean log likelihood of the events under them."""
    n_events = max(1, len(task.source))
    n_done = 0

    def done(_weights: FloatArray) -> None:
        nonlocal n_done
        n_done += 1
        report(n_done)

    with ThreadPoolExecutor(threads) as pool:

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            total, expected = log_likelihood(task, weights, pool)
            value = (float(weights @ weights) / (2 * variance) - total) / n_events
            return value, (weights / variance + expected - counts) / n_events

        found = minimize(
            loss,
            np.zeros(len(counts)),
            jac=True,
            method="L-BFGS-B",
            callback=done,
            options={"maxiter": iterations, "maxfun": 2 * iterations, "ftol": tolerance,
                     "gtol": 1e-9, "maxcor": 10},
        )  # fmt: skip
        weights: FloatArray = found.x
        return weights, log_likelihood(task, weights, pool)[0] / n_events
