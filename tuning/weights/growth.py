"""Adds derivations from the lattices of the last decoding to the pool when an optimiser asks."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from hyperbaton.tuning.optimisers.interface import Lines
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.weights.hypotheses import collect, listed
from hyperbaton.tuning.weights.lattice_lines import BestArcs
from hyperbaton.tuning.weights.task import TuningTask


class Growth:
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
