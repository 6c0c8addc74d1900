"""One law for all refusals: they say where, what is expected, and the nearest known name.

A table has a row for each bad input, and last in the row the facts that its message must state, in
their order: `"train.en:2: … 0xff … column 1"`. Nothing is said of the prose between them.
"""

import inspect
from functools import wraps

import pytest

from hyperbaton.foundation.errors import DataError, HyperbatonError


def states(message, facts):
    """Whether a message states the facts in their order."""
    end = 0
    for fact in facts.split(" … "):
        start = message.find(fact, end)
        assert start >= 0, f"{fact!r} is not stated, or not there, in: {message}"
        end = start + len(fact)
    return True


def refused(facts, attempt, error=DataError):
    """The error that an attempt must raise."""
    with pytest.raises(error) as caught:
        attempt()
    assert states(str(caught.value), facts)
    if isinstance(caught.value, HyperbatonError):
        assert type(caught.value) is not HyperbatonError
        assert caught.value.what
    return caught.value


def refusals(*rows, error=DataError):
    """Makes a test of a function whose last parameters are a row's input: each row is refused, with
    the error that stands at its end or else with the one for all."""

    def as_test(attempt):
        cases = [row if isinstance(row[-1], type) else (*row, error) for row in rows]
        names = list(inspect.signature(attempt).parameters)
        inputs = names[len(names) - len(cases[0]) + 2 :]

        @wraps(attempt)
        def test(facts, error, **given):
            refused(facts, lambda: attempt(**given), error)

        every = [*names, "facts", "error"]
        parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in every]
        test.__signature__ = inspect.Signature(parameters)
        return pytest.mark.parametrize((*inputs, "facts", "error"), cases)(test)

    return as_test
