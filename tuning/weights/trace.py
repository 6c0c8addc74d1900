"""What a tuning run did, round by round: for people, for plots, and for resuming it.

On disk, a run is a folder with `trace.json` and, for every decoding, `pool-NNN.npz` with the
hypotheses that were new, and `lattice-NNN.npz` with those that the optimiser has taken from the
lattices afterwards. The trace is written after the arrays, each file in one piece, so a run
that is killed loses at most the round it was in. The trace carries fingerprints of all inputs, so
that a run never resumes with other inputs. When a run is over, only the trace is kept.
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
LARGEST_NUMBER = 10**18  # of all numbers in a trace
Number = Annotated[float, Meta(gt=-LARGEST_NUMBER, lt=LARGEST_NUMBER)]
Count = Annotated[int, Meta(gt=-LARGEST_NUMBER, lt=LARGEST_NUMBER)]
DECODED, FROM_LATTICES = "pool", "lattice"  # where hypotheses come from


@dataclass(frozen=True)
class TraceStep:
    """Weights, and the score of the development set when it was decoded with them."""

    weights: dict[str, Number]
    score: Number  # of the metric as people know it: an error rate is better if lower
    length: Number  # of the output, in lengths of the closest references
    pool_size: Count  # hypotheses after this decoding
    n_new: Count  # those that this decoding has added
    move: Number  # the largest change of a weight since the step before
    seconds: Number


class HeldOut(NamedTuple):
    """What new weights may be expected to score on sentences that have not taught them."""

    before: Number
    after: Number
    error: Number  # standard error of the difference
    is_gain: bool

    def line(self, metric: str) -> str:
        """For people."""
        verdict = (
            "the new weights are kept" if self.is_gain else "not enough, the weights before stay"
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
    iterations: Count  # at most
    inputs: Mapping[str, str] = field(default_factory=dict)  # fingerprints, by what they identify
    steps: tuple[TraceStep, ...] = ()
    following: dict[str, Number] | None = None  # weights for the next decoding
    stopped: str = ""  # why, if the run is over
    held_out: HeldOut | None = None  # what unseen sentences say, if anything was gained

    @property
    def best(self) -> int:
        """The number of the best step; of equal ones the first."""
        sign = 1 if self.higher_is_better else -1
        return max(range(len(self.steps)), key=lambda number: sign * self.steps[number].score)

    @property
    def kept(self) -> int:
        """The number of the step whose weights are the result."""
        return 0 if self.held_out is not None and not self.held_out.is_gain else self.best

    @property
    def held_out_line(self) -> str:
        """What unseen sentences say, for people."""
        return "" if self.held_out is None else self.held_out.line(self.metric)

    @property
    def falls(self) -> list[int]:
        """The numbers of the steps that are not half as good as the best one before them."""
        found, best = [], self.steps[0].score if self.steps else 0.0
        for number, step in enumerate(self.steps):
            if self.higher_is_better:
                is_fall, best = step.score < best / 2, max(best, step.score)
            else:
                is_fall, best = step.score > best * 2, min(best, step.score)
            if is_fall:
                found.append(number)
        return found

    @property
    def last_line(self) -> str:
        """The last step, for people."""
        step, number = self.steps[-1], len(self.steps) - 1
        n_left = self.iterations - number
        seconds = n_left * sum(one.seconds for one in self.steps) / len(self.steps)
        left = f", at most {duration(seconds)} left" if n_left > 0 else ""
        return (
            f"iteration {number:>2}: {self.metric} {step.score:.2f}, length {step.length:.2f}, "
            f"pool {step.pool_size:,} (+{step.n_new:,}), largest move {step.move:.3f}, "
            f"{step.seconds:.1f} s{left}"
        )

    @property
    def fall_line(self) -> str:
        """What went wrong in the last step, for people."""
        step, best = self.steps[-1], self.steps[self.best]
        return (
            f"iteration {len(self.steps) - 1} is not half as good as iteration {self.best} "
            f"({self.metric} {step.score:.2f} and {best.score:.2f}; its output is "
            f"{step.length:.2f} times as long as the references, that one's {best.length:.2f})"
        )

    def ended(self, why: str) -> "Trace":
        return replace(self, stopped=why, following=None)


def write_json(content: Mapping[str, Any], path: Path) -> None:
    text = json.dumps({"format": FORMAT, **content}, ensure_ascii=False, indent=1)
    with open_to_write(path) as stream:
        stream.write(text.encode() + b"\n")


def read_trace(path: Path) -> Trace | None:
    """The trace in a file; None if there is none that this version can read."""
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
    """The trace and the pool of a run with the same inputs in the folder, or those given."""
    if folder is None:
        return fresh, pool
    make_folder(folder)
    trace = read_trace(folder / NAME)
    if trace is not None and dict(trace.inputs) == dict(fresh.inputs):
        if trace.stopped:
            _remove_pools(folder)  # a run that was killed in the end has left them
            talk(f"seed {fresh.seed}: done before, {len(trace.steps)} decodings")
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
        talk(f"seed {fresh.seed}: begins anew, because {' and '.join(changed)} changed")
    (folder / NAME).unlink(missing_ok=True)
    _remove_pools(folder)
    return fresh, pool


def save(folder: Path | None, trace: Trace, found: Pool | None = None) -> None:
    """Keeps the trace, and the hypotheses that its last decoding, or what came after it, found."""
    if folder is None:
        return
    if found is not None and not trace.stopped:
        kind = DECODED if trace.following is None else FROM_LATTICES
        path = _pool_path(folder, len(trace.steps) - 1, kind)
        with replacing(path) as temporary, temporary.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **vars(found))
    write_json(asdict(trace), folder / NAME)
    if trace.stopped:
        _remove_pools(folder)


def _pool_path(folder: Path, number: int, kind: str) -> Path:
    return folder / f"{kind}-{number:03}.npz"


def _pool_paths(folder: Path, trace: Trace) -> Iterator[Path]:
    """Where the hypotheses of a run are, in their order."""
    for number in range(len(trace.steps)):
        yield _pool_path(folder, number, DECODED)
        added = _pool_path(folder, number, FROM_LATTICES)
        # What an optimiser has not brought to an end is done again
        if (number + 1 < len(trace.steps) or trace.following is not None) and added.exists():
            yield added


def load_pool(path: Path) -> Pool:
    """Hypotheses as `save` has written them."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            return Pool(**{one.name: arrays[one.name] for one in fields(Pool)})
    except Exception:  # a damaged archive fails in many ways
        raise _damaged(path) from None


def _remove_pools(folder: Path) -> None:
    for kind in (DECODED, FROM_LATTICES):
        for path in folder.glob(f"{kind}-*.npz"):
            path.unlink()


def _damaged(path: Path) -> DataError:
    what, advice = "is not what this tuning run has written", "begin anew with --restart"
    return DataError(what, where=str(path), advice=advice)
