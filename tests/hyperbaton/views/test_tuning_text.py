"""What `tune` prints at its end."""

from hyperbaton.tuning.weights.loop import TuneResult
from hyperbaton.tuning.weights.protocol import Replicas
from hyperbaton.tuning.weights.trace import Trace, TraceStep
from hyperbaton.views.tuning_text import tuning_blocks

# At the sizes that a system has, and as the run scales them: to a sum of 1
GIVEN = {"translation.direct_phrase": 0.2, "translation.inverse_phrase": -0.4, "lm": 1.4}
START = {"translation.direct_phrase": 0.1, "translation.inverse_phrase": -0.2, "lm": 0.7}
AFTER = {"translation.direct_phrase": -0.1, "translation.inverse_phrase": -0.3, "lm": 0.6}


def blocks(weights, score):
    first = TraceStep(START, 20.0, 1.0, 10, 10, 0.0, 0.0)
    trace = Trace("mert", "BLEU", "", True, 1, 5, steps=(first,), stopped="5 iterations")
    run = TuneResult(weights, score, 20.0, trace)
    return tuning_blocks(Replicas((run,), "best", weights, score, 20.0, (), "the run"), GIVEN)


def test_weights_before_and_after_have_one_scale():
    table = blocks(AFTER, 25.0)[2]
    assert table.header == ["weight", "before", "after"]
    assert table.rows[2] == ["lm", "0.7000", "0.6000"]


def test_probabilities_that_came_to_count_against_are_named():
    said = blocks(AFTER, 25.0)[3]
    assert said.startswith(
        "weights that became negative, so that likely translations score worse: "
    )
    assert "translation.direct_phrase" in said
    assert "inverse_phrase" not in said  # it was negative before
    assert len(blocks(START, 25.0)) == 3


def test_weights_that_stay_are_shown_as_they_are():
    table = blocks(GIVEN, 20.0)[2]
    assert table.header == ["weight", "unchanged"]
    assert table.rows[2] == ["lm", "1.4000"]
