"""A tuning run on disk: what it has decoded so far, so that a stopped run can go on.

A folder holds `trace.json` and, for every decoding, `pool-NNN.npz` with the hypotheses that were
new. The trace is written after the arrays, each file in one piece, so a run that is killed loses at
most the round it was in. The trace carries fingerprints of all inputs, so that nothing of other
inputs is ever used. When a run is over, only the trace is kept.
"""

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from models.errors import DataError
from models.writing import make_folder, replacing
from tuning.optimisers.pool import Pool
from tuning.weights.trace import Trace, read_trace, write_trace

NAME = "trace.json"
ADVICE = "begin anew with --restart"


class TuningState:
    """Without a folder nothing is kept."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory

    def resume(self, fresh: Trace, pool: Pool, talk: Callable[[str], None]) -> tuple[Trace, Pool]:
        """The trace and the pool of a run with the same inputs, or those that are given."""
        if self.directory is None:
            return fresh, pool
        make_folder(self.directory)
        trace = read_trace(self.directory / NAME)
        if trace is not None and dict(trace.inputs) == dict(fresh.inputs):
            if trace.stopped:
                talk(f"seed {fresh.seed}: done before, {len(trace.steps)} decodings")
                return trace, pool
            for number in range(len(trace.steps)):
                pool = pool.merge(self._load(number))
            if len(pool) != trace.steps[-1].pool_size:
                raise self._damaged(len(trace.steps) - 1)
            talk(f"seed {fresh.seed}: goes on after {len(trace.steps)} decodings")
            return trace, pool
        if trace is not None and trace.steps and not trace.stopped:
            changed = " and ".join(_changed(trace.inputs, fresh.inputs))
            talk(f"seed {fresh.seed}: begins anew, because {changed} changed")
        self.forget()
        return fresh, pool

    def save(self, trace: Trace, found: Pool | None = None) -> None:
        """Keeps the trace, and what its last decoding has found."""
        if self.directory is None:
            return
        if found is not None:
            with replacing(self._path(len(trace.steps) - 1)) as path, path.open("wb") as stream:
                np.savez(stream, allow_pickle=False, **vars(found))
        write_trace(trace, self.directory / NAME)
        if trace.stopped:
            self._remove_pools()

    def forget(self) -> None:
        if self.directory is not None:
            (self.directory / NAME).unlink(missing_ok=True)
            self._remove_pools()

    def _remove_pools(self) -> None:
        if self.directory is not None:
            for path in self.directory.glob("pool-*.npz"):
                path.unlink()

    def _load(self, number: int) -> Pool:
        try:
            with np.load(self._path(number), allow_pickle=False) as arrays:
                names = ("features", "statistics", "keys", "offsets")
                return Pool(*(arrays[name] for name in names))
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            raise self._damaged(number) from None

    def _damaged(self, number: int) -> DataError:
        return DataError(
            "is not what this tuning run has written", where=str(self._path(number)), advice=ADVICE
        )

    def _path(self, number: int) -> Path:
        assert self.directory is not None
        return self.directory / f"pool-{number:03}.npz"


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    return [f"the {name}" for name in new if old.get(name) != new[name]] or ["the inputs"]


def stopped(trace: Trace, why: str) -> Trace:
    return replace(trace, stopped=why, following=None)
