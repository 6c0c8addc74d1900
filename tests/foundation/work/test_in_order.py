"""Items by chunks: their sizes, and results in order."""

from itertools import count, islice

import pytest

from hyperbaton.foundation.work.in_order import FAR_AWAY, Pace, _next_chunk, in_order
from hyperbaton.foundation.work.workers import Threads

PACE = Pace(first=2, most=50, seconds=1.0, ahead=2)


@pytest.mark.parametrize(
    ("last", "n_sentences", "seconds", "size"),
    [
        (8, 8, 0.4, 16),  # 20 would take a second, but it was one chunk only
        (32, 32, 2.0, 16),
        (32, 10, 0.5, 20),  # the last chunk of slow input may be small
        (40, 40, 0.1, 50),
        (8, 8, 100.0, 2),
        (2, 2, 0.0, 4),
    ],
)
def test_chunks_take_about_as_long_as_they_should(last, n_sentences, seconds, size):
    assert PACE.size(last, n_sentences, seconds) == size


def test_slow_input_is_not_waited_for(monkeypatch):
    clock = count(step=0.3)  # looked at once at first and after each sentence
    monkeypatch.setattr("hyperbaton.foundation.work.in_order.monotonic", lambda: next(clock))
    tasks = iter(range(20))
    assert _next_chunk(tasks, 3, 1.0) == [0, 1, 2]
    assert _next_chunk(tasks, 10, 1.0) == [3, 4, 5, 6]


class Slow(Threads):
    """Does nothing until results are asked for."""

    def __init__(self, n):
        super().__init__(n)
        self.sizes = []

    def submit(self, work, first, chunk):  # noqa: ARG002
        self.sizes.append(len(chunk))
        return Waiting(list(range(first, first + len(chunk))))


class Waiting:
    def __init__(self, made):
        self._made = made

    def done(self):
        return False

    def result(self):
        return self._made, len(self._made) / 100  # seconds: 100 sentences fit into one

    def cancel(self):
        pass


def test_chunks_grow_and_few_are_ahead():
    workers, read = Slow(3), []

    def tasks():
        for number in range(10_000):
            read.append(number)
            yield number

    results = in_order(workers, None, tasks(), FAR_AWAY)
    assert list(islice(results, 1)) == [0]
    assert workers.sizes == [FAR_AWAY.first] * 7  # two for each worker, and one too many
    assert list(results) == list(range(1, 10_000))
    assert workers.sizes[7:13] == [8, 16, 32, 64, 100, 100]
    assert len(read) == 10_000
