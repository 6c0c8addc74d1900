import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.work.workers import Threads, run_jobs


def square(here, number):  # noqa: ARG001
    if number < 0:
        raise DataError("a negative number")
    return number**2


def test_a_job_that_failed_is_not_done():
    done = []
    with Threads(1) as workers, pytest.raises(DataError, match="a negative number"):
        run_jobs(workers, [3, -1], square, lambda *_: None, done.append)
    assert done == [0]


def test_results_are_in_the_order_of_the_jobs():
    with Threads(2) as workers:
        assert run_jobs(workers, [3, 2, 1], square, lambda *_: None) == [9, 4, 1]
