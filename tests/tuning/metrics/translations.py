"""Random translations for the tests of metrics, and laws that every metric must keep."""

import numpy as np
from hypothesis import strategies as st

from hyperbaton.tuning.metrics.base import Metric, Outputs

# Few words, so that much matches; case, punctuation and a stem pair for the options
WORDS = ["a", "b", "c", "A", "dog", "dogs", "ab.", "1,5"]
lines = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@st.composite
def outputs(draw: st.DrawFn, *, min_size: int = 1) -> Outputs:
    """Sentences with one to three references each, some of them empty."""
    groups = draw(st.lists(st.lists(lines, min_size=1, max_size=3), min_size=min_size, max_size=5))
    # half of the hypotheses are near their reference
    hypotheses = [draw(st.one_of(lines, st.just(f"{group[0]} b"))) for group in groups]
    return Outputs(hypotheses, groups)


def streams(of: Outputs) -> list[list[str | None]]:
    """References as sacrebleu takes them: one list per reference number, None where missing."""
    most = max(map(len, of.references))
    return [[group[i] if i < len(group) else None for group in of.references] for i in range(most)]


def check_laws(metric: Metric, of: Outputs) -> None:
    """Finite scores; statistics of a part are the part of the statistics; batch = one by one."""
    statistics = metric.statistics(of)
    assert statistics.shape[0] == len(of)
    assert np.isfinite(metric.score(statistics.sum(axis=0)))
    rows = [
        metric.statistics(Outputs([hypothesis], [group]))
        for hypothesis, group in zip(of.hypotheses, of.references, strict=True)
    ]
    np.testing.assert_allclose(np.concatenate(rows), statistics, rtol=1e-12)
    alone = [float(metric.score(row)) for row in statistics]
    np.testing.assert_allclose(metric.score(statistics), alone)
    assert metric.statistics(Outputs([], [])).shape == (0, statistics.shape[1])
