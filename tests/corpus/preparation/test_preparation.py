"""Clean sets from raw text: nothing is lost, nothing is in two sets, whatever the order."""

import json
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.preparation import preparation
from hyperbaton.corpus.preparation.preparation import Preparation, prepare
from hyperbaton.corpus.preparation.reading import RawFiles
from hyperbaton.corpus.preparation.rules import DUPLICATE, EMPTY, SAME, Rules
from hyperbaton.corpus.preparation.splitting import divide
from hyperbaton.foundation.errors import DataError, SettingError
from tests.refusals import refusals, refused

SETS = ("train", "dev", "test")


def run(folder, rows, n_dev=0, n_test=0, columns=(1, 2), **options):
    """The report, and the pairs of each set."""
    path = folder / "raw.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    files = RawFiles((path,), "de", "en", columns=columns)
    rules = Rules("de", "en", max_words=5, ratio=3)
    report = prepare(Preparation(files, rules, folder / "out", n_dev, n_test, **options))
    found = {}
    for name in SETS:
        both = [folder / "out" / f"{name}.{code}" for code in ("de", "en")]
        if both[0].exists():
            lines = (path.read_text(encoding="utf-8").splitlines() for path in both)
            found[name] = list(zip(*lines, strict=True))
    return report, found


def hash_by_hand(source, target):
    return int.from_bytes(blake2b(f"{source}\n{target}".encode(), digest_size=8).digest(), "little")


def test_a_set_worked_out_by_hand(tmp_path):
    rows = [("ein Hund", "a dog"), ("", "b"), (" ein  Hund ", "a dog"), ("x", "x"),
            ("eine Katze", "a cat"), ("ein Hund", "one dog"), ("a b c d", "a"),
            ("1 2 3 4 5 6", "1 2 3 4")]  # fmt: skip
    report, sets = run(tmp_path, rows)
    assert sets == {"train": [rows[0], rows[4], rows[5]]}
    assert report.n_read == 8
    assert report.dropped == {
        EMPTY: 1, SAME: 1, "lengths too different": 1, "too long": 1, DUPLICATE: 1
    }  # fmt: skip
    assert report.examples[DUPLICATE] == [(f"{tmp_path / 'raw.tsv'}:3", "ein Hund", "a dog")]
    written = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert (written["read"], written["kept"], written["dropped"][SAME]) == (8, {"train": 3}, 1)
    assert written["examples"][SAME][0]["where"] == f"{tmp_path / 'raw.tsv'}:4"
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| train | 3 |" in text
    assert "| a duplicate | 1 |" in text
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "train.de", "train.en", "report.json", "report.md",
    }  # fmt: skip


WORDS = st.lists(st.sampled_from("abcx"), max_size=6).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=40), st.integers(0, 3), st.integers(0, 3))
def test_every_pair_is_in_one_set_or_dropped_for_one_reason(rows, n_dev, n_test):
    with TemporaryDirectory() as folder:
        good = {row for row in rows if not Rules("de", "en", 5, 3).fault(*row)}
        if len(good) <= n_dev + n_test:
            with pytest.raises(DataError, match=r"dropped|cannot take"):
                run(Path(folder), rows, n_dev, n_test)
            return
        report, sets = run(Path(folder), rows, n_dev, n_test)
        kept = [pair for pairs in sets.values() for pair in pairs]
        assert len(kept) == len(set(kept))
        assert set(kept) == good
        assert report.n_read == len(rows) == len(kept) + report.dropped.total()
        assert report.kept == Counter({name: len(pairs) for name, pairs in sets.items() if pairs})
        assert len(sets.get("dev", ())) == n_dev
        assert len(sets.get("test", ())) == n_test
        # by hash: the smallest are the test set, the next ones the development set
        order = sorted(good, key=lambda pair: hash_by_hand(*pair))
        assert set(sets.get("test", ())) == set(order[:n_test])
        assert set(sets.get("dev", ())) == set(order[n_test : n_test + n_dev])


def test_documents_stay_together(tmp_path):
    rows = [(f"wort {n}", f"word {n} x", f"doc{n // 5}") for n in range(100)]
    _, sets = run(tmp_path, rows, 12, 10, columns=(1, 2, 3))
    document = {row[:2]: row[2] for row in rows}
    found = {name: {document[pair] for pair in pairs} for name, pairs in sets.items()}
    assert [len(found[name]) for name in SETS] == [16, 2, 2]  # 12 pairs are not reached: 5 + 5
    assert sum(map(len, found.values())) == 20
    with pytest.raises(DataError, match=r"remaining documents have more than 4 pairs\n.*--test 4"):
        run(tmp_path, rows, 0, 4, columns=(1, 2, 3))


def test_divided_by_hand():
    """Units 1 (two pairs), 3 (three pairs, one of them twice) and 7 (one pair), in this order; one
    that does not fit is passed over."""
    pairs = np.array([10, 11, 12, 13, 12, 14, 15], np.uint64)
    units = np.array([3, 1, 3, 1, 3, 3, 7], np.uint64)
    assert divide(pairs, units, 0, 0).tolist() == [0, 0, 0, 0, 3, 0, 0]
    assert divide(pairs, units, 0, 2).tolist() == [0, 2, 0, 2, 3, 0, 0]
    assert divide(pairs, units, 0, 1).tolist() == [0, 0, 0, 0, 3, 0, 2]
    assert divide(pairs, units, 0, 3).tolist() == [0, 2, 0, 2, 3, 0, 2]
    assert divide(pairs, units, 1, 2).tolist() == [0, 2, 0, 2, 3, 0, 1]
    refused(
        "documents have more than 1 pair … none fits --dev 1", lambda: divide(pairs, units, 1, 3)
    )


def test_bad_records_stop_or_are_counted(tmp_path):
    rows = [("ein Hund", "a dog"), ("broken",), ("eine Katze", "a cat")]
    refused(
        "raw.tsv:2: has 1 columns … expected 2 … skip and count … --skip-bad",
        lambda: run(tmp_path, rows),
    )
    assert not list((tmp_path / "out").iterdir())
    report, sets = run(tmp_path, rows, skip_bad=True)
    assert report.dropped == {"missing columns": 1}
    assert sets["train"] == [rows[0], rows[2]]


def test_an_interruption_leaves_what_was_there(tmp_path, monkeypatch):
    rows = [(f"wort {n}", f"word {n} x") for n in range(2000)]
    run(tmp_path, rows[:100], 5, 5)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}

    def stop(what, _done):
        if what == "writing pairs":
            raise KeyboardInterrupt

    monkeypatch.setattr(preparation, "PROGRESS_EVERY", 100)
    files = RawFiles((tmp_path / "raw.tsv",), "de", "en")
    (tmp_path / "raw.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    with pytest.raises(KeyboardInterrupt):
        prepare(Preparation(files, Rules("de", "en"), tmp_path / "out", 5, 5), stop)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_nothing_is_left(tmp_path):
    rows = [("a", "a"), ("b", "b")]
    refused("all 2 pairs were dropped … 2 × both sides", lambda: run(tmp_path, rows))


@refusals(
    ("de", "de", "out", "both languages are 'de'"),
    ("../de", "en", "out", "'../de' is not a language code"),
    ("de", "en", ".", "train.de is an input and would be overwritten"),
    error=SettingError,
)
def test_what_is_refused(tmp_path, source, target, out):
    paths = tuple(tmp_path / name for name in ("train.de", "train.en"))
    for path in paths:
        path.write_text("x\n")
    try:
        prepare(Preparation(RawFiles(paths, source, target), Rules(source, target), tmp_path / out))
    finally:
        assert paths[0].read_text() == "x\n"
