"""Broken input to every reader, in short; `tools/fuzz.py` does it for as long as one likes."""

import os
import random
import re
import signal
import warnings
from collections import Counter
from functools import partial

import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.tuning.weights.trace import read_trace
from tools import fuzz as fuzzing
from tools.fuzz import (
    EXAMPLES,
    FINDINGS,
    READERS,
    Job,
    Reader,
    Tally,
    attempt,
    examples,
    fuzz,
    in_good_time,
)


@pytest.mark.parametrize("name", READERS)
def test_examples_are_good(name, tmp_path):
    assert examples(name)
    path = fuzzing.prepare(name, tmp_path)
    for content in examples(name):
        path.write_bytes(content)
        assert not attempt(name, path)


def test_every_example_belongs_to_a_reader():
    made = {name for name, reader in READERS.items() if reader.examples}
    assert {path.name.rpartition(".")[0] for path in EXAMPLES.iterdir()} == {*READERS} - made


@pytest.mark.parametrize("name", READERS)
def test_broken_input_ends_in_a_clean_error(name, tmp_path):
    tally = fuzz(name, tmp_path, Tally(), 60, seed=1)
    assert tally.unexpected == 0
    assert tally.refused + tally.read == tally.next == 60
    assert tally.refused or name == "trace"  # one that is broken is as if there were none


@pytest.mark.parametrize("path", sorted(FINDINGS.glob("*/*")), ids=lambda path: path.parent.name)
def test_what_was_found_before_is_mended(path, tmp_path):
    name = path.parent.name
    given = fuzzing.prepare(name, tmp_path)
    given.write_bytes(path.read_bytes())
    with in_good_time():
        attempt(name, given)


@pytest.mark.parametrize("unit", ["!", "。", "\u200d", "(", "「", "a.", "1,", "a@", "www.", "&a"])
def test_long_lines_of_one_thing_take_no_longer_than_others(unit, tmp_path):
    """As they would if a search began again at each place."""
    (tmp_path / "line").write_text(f"あ{unit * (25_000 // len(unit))}あ", encoding="utf-8")
    with in_good_time():
        attempt("raw-text", tmp_path / "line")


def test_what_takes_too_long_is_noticed(monkeypatch):
    monkeypatch.setattr(fuzzing, "begin_anew", partial(signal.setitimer, signal.ITIMER_PROF, 0.01))
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(TimeoutError), in_good_time():
        re.match("(a*)*b", "a" * 60)
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_the_example_of_a_trace_is_one():
    [path] = EXAMPLES.glob("trace.*")
    assert [step.pool_size for step in read_trace(path).steps] == [90, 120]


def fragile(path):
    """A reader that some inputs kill, some confuse, and some keep busy for ever."""
    kind = len(path.read_bytes()) % 4
    if kind == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == 1:
        raise KeyError("unexpected")
    if kind == 2:
        raise DataError("is refused")


def test_readers_that_die_are_started_again_and_every_input_is_counted(tmp_path, monkeypatch):
    monkeypatch.setitem(READERS, "x", Reader(fragile, examples=lambda: [b"abc"]))
    monkeypatch.setattr(fuzzing, "FINDINGS", tmp_path / "findings")
    monkeypatch.setattr(fuzzing, "mutated", lambda _, draw: bytes(draw.randrange(100)))
    kinds = Counter()
    for number in range(5, 45):
        draw = random.Random(f"x 3 {number}")
        draw.choice([b"abc"])
        kinds[draw.randrange(100) % 4] += 1
    over = []
    fuzzing.run([Job("x", tmp_path / "x", first=5)], 2, over.append, 45, seed=3)
    [tally] = [job.tally for job in over]
    assert tally.next == 45
    assert [tally.crashes, tally.unexpected, tally.refused, tally.read] == [
        kinds[kind] for kind in range(4)
    ]
    kept = [len(path.read_bytes()) % 4 for path in (tmp_path / "findings/x").iterdir()]
    assert 0 in kept
    assert 1 in kept
    assert not {2, 3} & {*kept}


def test_a_reader_that_never_ends_is_stopped(tmp_path, monkeypatch):
    def endless(path):
        while path.read_bytes() != b"abc":
            pass

    monkeypatch.setitem(READERS, "x", Reader(endless, examples=lambda: [b"abc"]))
    monkeypatch.setattr(fuzzing, "FINDINGS", tmp_path / "findings")
    monkeypatch.setattr(fuzzing, "MOST_SECONDS", 0.05)
    over = []
    fuzzing.run([Job("x", tmp_path / "x")], 1, over.append, 2)
    assert (over[0].tally.next, over[0].tally.crashes) == (2, 2)


def test_a_warning_is_a_finding(tmp_path, monkeypatch):
    monkeypatch.setitem(
        READERS, "x", Reader(lambda _: warnings.warn("odd", stacklevel=1), examples=lambda: [b"a"])
    )
    monkeypatch.setattr(fuzzing, "FINDINGS", tmp_path / "findings")
    assert fuzz("x", tmp_path, Tally(), 3).unexpected == 3
    assert len(list((tmp_path / "findings/x").iterdir())) == 1
