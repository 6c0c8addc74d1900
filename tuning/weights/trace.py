"""The trace of a tuning run, round by round: for messages, for plots and for resuming.

On disk, a run is a folder with `trace.json` and, for every decoding, `pool-NNN.npz` with the new
hypotheses and `lattice-NNN.npz` with those that the optimiser then added from the lattices. The
trace is written after the arrays, each file atomically, so a killed run loses at most its current
round. The trace has fingerprints of all inputs, so a run never resumes with other inputs. When a
run is over, only the trace is kept.
"""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta

from hyperbaton.foundation.errors import DataError, SettingError, reason
from hyperbaton.foundation.files.typed_reading import typed
from hyperbaton.foundation.files.writing import make_folder, open_to_write, replacing
from hyperbaton.foundation.progress import Talk, duration
from hyperbaton.tuning.optimisers.pool import Pool

FORMAT = 3
NAME = "trace.json"
LARGEST_NUMBER = 10**18  # bound of all numbers in a trace
Number = Annotated[float, Meta(gt=-LARGEST_NUMBER, lt=LARGEST_NUMBER)]
Count = Annotated[int, Meta(gt=-LARGEST_NUMBER, lt=LARGEST_NUMBER)]
DECODED, FROM_LATTICES = "pool", "lattice"  # origins of hypotheses


@dataclass(frozen=True)
class TraceStep:
    """Weights, and the score of the development set decoded with them."""

    weights: dict[str, Number]
    score: Number  # in the metric's usual direction: a lower error rate is better
    length: Number  # of the output, relative to the closest references
    pool_size: Count  # hypotheses after this decoding
    n_new: Count  # hypotheses added by this decoding
    move: Number  # the largest change of a weight since the previous step
    seconds: Number


class HeldOut(NamedTuple):
    """The expected score of new weights on unseen sentences."""

    before: Number
    after: Number
    error: Number  # standard error of the difference
    is_gain: bool

    def line(self, metric: str) -> str:
        verdict = (
            "the new weights are kept" if self.is_gain else "not enough, the old weights are kept"
        )
        return (
            f"expected on unseen sentences: {metric} {self.before:.2f} → {self.after:.2f}, "
            f"standard error {self.error:.2f}: {verdict}"
        )


@dataclass(frozen=True)
class Trace:
    method: str
    metric: str
    signature: str
    higher_is_better: bool
    seed: Count
    iterations: Count  # maximum
    inputs: Mapping[str, str] = field(default_factory=dict)  # fingerprints by name of the input
    steps: tuple[TraceStep, ...] = ()
    following: dict[str, Number] | None = None  # weights for the next decoding
    stopped: str = ""  # the reason, if the run is over
    held_out: HeldOut | None = None  # the estimate for unseen sentences, if there was a gain

    @property
    def best(self) -> int:
        """The number of the best step, the first among equals."""
        sign = 1 if self.higher_is_better else -1
        return max(range(len(self.steps)), key=lambda number: sign * self.steps[number].score)

    @property
    def kept(self) -> int:
        """The number of the step whose weights are the result."""
        return 0 if self.held_out is not None and not self.held_out.is_gain else self.best

    @property
    def falls(self) -> list[int]:
        """The numbers of the steps that score less than half of the best earlier one."""
        falls, best = [], self.steps[0].score if self.steps else 0.0
        for number, step in enumerate(self.steps):
            if self.higher_is_better:
                is_fall, best = step.score < best / 2, max(best, step.score)
            else:
                is_fall, best = step.score > best * 2, min(best, step.score)
            if is_fall:
                falls.append(number)
        return falls

    @property
    def last_line(self) -> str:
        step, number = self.steps[-1], len(self.steps) - 1
        n_left = self.iterations - number
        seconds = n_left * sum(step.seconds for step in self.steps) / len(self.steps)
        left = f", at most {duration(seconds)} left" if n_left > 0 else ""
        return (
            f"iteration {number:>2}: {self.metric} {step.score:.2f}, length {step.length:.2f}, "
            f"pool {step.pool_size:,} (+{step.n_new:,}), largest move {step.move:.3f}, "
            f"{step.seconds:.1f} s{left}"
        )

    @property
    def fall_line(self) -> str:
        """A message that the last step was a fall."""
        step, best = self.steps[-1], self.steps[self.best]
        return (
            f"iteration {len(self.steps) - 1} is less than half as good as iteration {self.best} "
            f"({self.metric} {step.score:.2f} against {best.score:.2f}; output length "
            f"{step.length:.2f} against {best.length:.2f} times the references)"
        )

    def ended(self, why: str) -> "Trace":
        return replace(self, stopped=why, following=None)


def write_json(content: Mapping[str, Any], path: Path) -> None:
    text = json.dumps({"format": FORMAT, **content}, ensure_ascii=False, indent=1)
    with open_to_write(path) as stream:
        stream.write(text.encode() + b"\n")


def read_trace(path: Path) -> Trace | None:
    """Reads a trace; None if there is none that this version can read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            return None
        trace = typed(content, Trace)
        return trace if trace.steps else None
    except (FileNotFoundError, ValueError, RecursionError, SettingError):
        return None
    except OSError as error:
        raise DataError(f"cannot be read: {reason(error)}", where=str(path)) from None


def resume(folder: Path | None, fresh: Trace, pool: Pool, talk: Talk) -> tuple[Trace, Pool]:
    """The trace and pool of a run with the same inputs in the folder, or else those given."""
    if folder is None:
        return fresh, pool
    make_folder(folder)
    trace = read_trace(folder / NAME)
    if trace is not None and dict(trace.inputs) == dict(fresh.inputs):
        if trace.stopped:
            _remove_pools(folder)  # left over if the run was killed at its end
            talk(f"seed {fresh.seed}: already done, {len(trace.steps)} decodings")
            return trace, pool
        for path in _pool_paths(folder, trace):
            pool = pool.merge(load_pool(path))
        if len(pool) != trace.steps[-1].pool_size:
            raise _damaged(_pool_path(folder, len(trace.steps) - 1, DECODED))
        talk(f"seed {fresh.seed}: resumes after {len(trace.steps)} decodings")
        return trace, pool
    if trace is not None and trace.steps and not trace.stopped:
        old, new = trace.inputs, fresh.inputs
        changed = [f"the {name}" for name in new if old.get(name) != new[name]] or ["the inputs"]
        talk(f"seed {fresh.seed}: starts over, because {' and '.join(changed)} changed")
    (folder / NAME).unlink(missing_ok=True)
    _remove_pools(folder)
    return fresh, pool


def save(folder: Path | None, trace: Trace, added: Pool | None = None) -> None:
    """Saves the trace, and the hypotheses added by its last decoding or by the optimiser."""
    if folder is None:
        return
    if added is not None and not trace.stopped:
        kind = DECODED if trace.following is None else FROM_LATTICES
        path = _pool_path(folder, len(trace.steps) - 1, kind)
        with replacing(path) as temporary, temporary.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **vars(added))
    write_json(asdict(trace), folder / NAME)
    if trace.stopped:
        _remove_pools(folder)


def _pool_path(folder: Path, number: int, kind: str) -> Path:
    return folder / f"{kind}-{number:03}.npz"


def _pool_paths(folder: Path, trace: Trace) -> Iterator[Path]:
    """The files with the hypotheses of a run, in order."""
    for number in range(len(trace.steps)):
        yield _pool_path(folder, number, DECODED)
        added = _pool_path(folder, number, FROM_LATTICES)
        # An optimisation that did not finish is repeated
        if (number + 1 < len(trace.steps) or trace.following is not None) and added.exists():
            yield added


def load_pool(path: Path) -> Pool:
    """Reads hypotheses written by `save`."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            return Pool(**{array.name: arrays[array.name] for array in fields(Pool)})
    except Exception:  # a damaged archive fails in many ways
        raise _damaged(path) from None


def _remove_pools(folder: Path) -> None:
    for kind in (DECODED, FROM_LATTICES):
        for path in folder.glob(f"{kind}-*.npz"):
            path.unlink()


def _damaged(path: Path) -> DataError:
    what, advice = "was changed since this tuning run wrote it", "start over with --restart"
    return DataError(what, where=str(path), advice=advice)
