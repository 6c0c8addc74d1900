"""What a tuning run did, round by round: for people, for plots, and for resuming it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from models.errors import DataError, reason
from models.writing import open_to_write

FORMAT = 1


@dataclass(frozen=True)
class Step:
    """Weights, and what the development set scored when it was really decoded with them."""

    weights: dict[str, float]
    score: float  # of the metric as people know it: an error rate is better if lower
    pool_size: int  # hypotheses after this decoding
    n_new: int  # those that this decoding has added
    move: float  # the largest change of a weight since the step before
    seconds: float


@dataclass(frozen=True)
class Trace:
    method: str
    metric: str
    signature: str
    higher_is_better: bool
    seed: int
    inputs: Mapping[str, str] = field(default_factory=dict)  # fingerprints by what they are of
    steps: tuple[Step, ...] = ()
    following: dict[str, float] | None = None  # weights for the next decoding
    stopped: str = ""  # why, if the run is over

    @property
    def best(self) -> int:
        """The number of the best step; of equal ones the first."""
        sign = 1 if self.higher_is_better else -1
        return max(range(len(self.steps)), key=lambda number: sign * self.steps[number].score)

    @property
    def last_line(self) -> str:
        """The last step, for people."""
        step, number = self.steps[-1], len(self.steps) - 1
        return (
            f"iteration {number:>2}: {self.metric} {step.score:.2f}, pool {step.pool_size:,} "
            f"(+{step.n_new:,}), largest move {step.move:.3f}, {step.seconds:.1f} s"
        )


def write_trace(trace: Trace, path: Path) -> None:
    content = {"format": FORMAT, **asdict(trace)}
    with open_to_write(path) as stream:
        stream.write(json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n")


def read_trace(path: Path) -> Trace | None:
    """The trace that was written there; None if there is none that this version can read."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(f"cannot be read: {reason(error)}", where=str(path)) from None
    except ValueError:
        return None
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        return None
    try:
        steps = tuple(Step(**step) for step in content.pop("steps"))
        return Trace(**content, steps=steps)
    except (TypeError, KeyError):
        return None
