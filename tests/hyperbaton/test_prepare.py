"""`hyperbaton prepare`: what it prints, writes and refuses."""

import json

import pytest

from tests.command_line import refuses, run


@pytest.fixture
def folder(tmp_path):
    pairs = [(f"これは本{n}です。", f"This is book {n}.") for n in range(30)]
    pairs += [("", "x"), ("Hello", "Hello there"), pairs[0]]
    for k, code in enumerate(("ja", "en")):
        (tmp_path / f"raw.{code}").write_text("".join(f"{pair[k]}\n" for pair in pairs))
    objects = ({"translation": {"ja": one, "en": other}} for one, other in pairs)
    (tmp_path / "raw.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in objects))
    return tmp_path


def prepare(folder, *arguments):
    return run("prepare", *arguments, "-s", "ja", "-t", "en", "--dev", 4, "--test", 3, cwd=folder)


def test_files_and_a_report(folder):
    done = prepare(folder, "raw.ja", "raw.en", "--out", "data")
    assert [line.split() for line in done.stdout.splitlines()[:6]] == [
        ["set", "pairs"], ["train", "23"], ["test", "3"], ["dev", "4"],
        ["dropped", "3"], ["read", "33"],
    ]  # fmt: skip
    for why in ("a side is empty", "wrong script", "a duplicate"):
        assert why in done.stdout
    assert "written: train, dev, test and report.md in data" in done.stderr
    data = {path.name: path.read_bytes() for path in (folder / "data").iterdir()}
    assert set(data) == {"train.ja", "train.en", "dev.ja", "dev.en", "test.ja", "test.en",
                         "report.md", "report.json"}  # fmt: skip
    assert data["dev.ja"].count(b"\n") == 4
    other = prepare(folder, "raw.jsonl", "--out", "other")
    assert other.stdout == done.stdout
    for name in set(data) - {"report.md", "report.json"}:
        assert (folder / "other" / name).read_bytes() == data[name]


def test_an_unknown_script_is_said(folder):
    done = run("prepare", "raw.ja", "raw.en", "-s", "tlh", "-t", "en", "--dev", 1, "--test", 1,
               "--out", "data", cwd=folder)  # fmt: skip
    assert "the script of 'tlh' is unknown, so it is not checked" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "facts"),
    [
        ("raw.ja", 2, "unknown format, by the file name"),
        ("raw.ja raw.en --columns a", 2, "--columns a: give numbers, as in 1,2"),
        ("raw.ja raw.no", 1, "raw.no: no such file"),
        ("raw.ja raw.en --dev 30", 1, "cannot take 33 for development and test from 30 pairs"),
        ("raw.ja --input-format jsonl", 1, "raw.ja:1: is not JSON"),
    ],
)
def test_what_is_refused(folder, arguments, code, facts):
    command = f"prepare -s ja -t en --test 3 --out data {arguments}"
    refuses(facts, code, *command.split(), cwd=folder)
    assert not (folder / "data" / "train.ja").exists()
