"""`hyperbaton align`: the two ways to use it, its files and its messages."""

import gzip
import importlib.util
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from hyperbaton import main as frame
from hyperbaton.commands.align import METHODS
from hyperbaton.corpus.aligning import symmetrisation
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import counted
from tests import command_line
from tests.child_processes import PATIENCE, started, wait_until

HAS_EFLOMAL = importlib.util.find_spec("eflomal") is not None
needs_eflomal = pytest.mark.skipif(not HAS_EFLOMAL, reason="eflomal is not installed")


def run(*arguments, **options):
    return command_line.outcome("align", *arguments, **options)


@pytest.fixture
def directions(write):
    # 0-0 is in both; 1-0 and 0-1 touch it; 3-3 touches nothing
    forward, backward = write("fwd", "0-0 0-1 3-3\n\n"), write("bwd", "1-0 0-0\n2-0\n")
    return ["--forward", forward, "--backward", backward]


@pytest.fixture
def texts(write):
    return ["--source", write("t.ja", "hon\nhai\n"), "--target", write("t.en", "book\nyes\n")]


def test_the_methods_are_those_of_the_model():
    assert METHODS == symmetrisation.METHODS


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("intersection", "0-0\n\n"),
        ("union", "0-0 0-1 1-0 3-3\n2-0\n"),
        ("grow-diag", "0-0 0-1 1-0\n\n"),
        ("grow-diag-final-and", "0-0 0-1 1-0 3-3\n2-0\n"),
    ],
)
def test_given_directions_are_symmetrised(directions, method, expected):
    out, err = run(*directions, "--symmetrise", method)
    assert out == expected
    assert err == f"2 pairs, {counted(expected.count('-'), 'link')} ({method})\n"


def test_standard_input_can_be_a_direction(write):
    out, _ = run("--forward", "-", "--backward", write("bwd", "0-1\n"), input="0-1\n")
    assert out == "0-1\n"


def test_a_file_is_replaced_whole_and_packed_by_its_name(directions, tmp_path):
    plain, packed, again = (tmp_path / name for name in ("a.align", "a.align.gz", "b.gz"))
    plain.write_text("old")
    link = tmp_path / "link"
    link.symlink_to(plain)
    for path in (link, packed, again):
        out, err = run(*directions, "--out", path)
        assert out == ""
        assert err.endswith("(grow-diag-final-and)\n")  # unless it is told otherwise
    expected = "0-0 0-1 1-0 3-3\n2-0\n"
    assert plain.read_text() == expected
    assert link.is_symlink()
    assert gzip.decompress(packed.read_bytes()).decode() == expected
    assert packed.read_bytes() == again.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {
        "fwd", "bwd", "a.align", "a.align.gz", "b.gz", "link"
    }  # fmt: skip


def test_a_pipe_is_written_to_and_stays(directions, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    run(*directions, "--out", pipe)
    reader.join()
    assert received == ["0-0 0-1 1-0 3-3\n2-0\n"]
    assert pipe.is_fifo()


def test_a_failure_while_writing_leaves_the_old_file(directions, tmp_path, monkeypatch):
    path = tmp_path / "a.align"
    path.write_text("old")

    def lines_on_a_full_disk(_links):
        yield "0-0"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hyperbaton.corpus.corpora.alignment.link_lines", lines_on_a_full_disk)
    _, err = run(*directions, "--out", path, code=1)
    assert f"hyperbaton: {path}: cannot be written: No space left on device\n" in err
    assert path.read_text() == "old"
    assert {entry.name for entry in tmp_path.iterdir()} == {"fwd", "bwd", "a.align"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_device_that_takes_nothing(directions):
    facts = "/dev/full: cannot be written: No space left"
    command_line.refuses(facts, 1, "align", *directions, "--out", "/dev/full")
    assert Path("/dev/full").is_char_device()


@pytest.fixture
def diagonal_aligner(monkeypatch):
    """In the place of eflomal: word i to word i. Keeps what it was given."""
    from hyperbaton.corpus.aligning import aligner, aligning_files

    given = {}

    def align_diagonally(corpus, settings, priors):
        given.update(settings=settings, priors=priors)
        lengths = np.minimum(corpus.source.words.lengths, corpus.target.words.lengths)
        positions = np.concatenate([np.arange(n) for n in lengths]).astype(np.uint16)
        links = Ragged(np.stack([positions] * 2, axis=1), np.append(0, np.cumsum(lengths)))
        return aligner.Directions(links, links)

    if not HAS_EFLOMAL:
        monkeypatch.setattr(aligner, "load_eflomal", lambda: None)
        monkeypatch.setattr(aligning_files, "load_eflomal", lambda: None)
    monkeypatch.setattr(aligning_files, "align_corpus", align_diagonally)
    return given


@needs_eflomal  # it counts priors
@pytest.mark.usefixtures("diagonal_aligner")
def test_text_is_aligned_and_all_outputs_written(write, tmp_path):
    texts = ["--source", write("t.ja", "hon o\nhai\n"), "--target", write("t.en", "a book\nyes\n")]
    paths = [tmp_path / name for name in ("fwd", "bwd.gz", "priors")]
    directions = ["--forward-out", paths[0], "--backward-out", paths[1]]
    out, err = run(*texts, *directions, "--save-priors", paths[2])
    assert out == "0-0 1-1\n0-0\n"
    assert err == (
        "aligning 2 pairs in both directions with eflomal\n2 pairs, 3 links (grow-diag-final-and)\n"
    )
    assert paths[0].read_text() == "0-0 1-1\n0-0\n"
    assert gzip.decompress(paths[1].read_bytes()) == b"0-0 1-1\n0-0\n"
    # jumps of 1: two words and the end in the first pair, one and the end in the second
    assert paths[2].read_text().splitlines() == [
        "LEX\thai\tyes\t1",
        "LEX\thon\ta\t1",
        "LEX\to\tbook\t1",
        "HMMF\t1\t5",
        "HMMR\t1\t5",
        "FERF\thai\t1\t1",
        "FERF\thon\t1\t1",
        "FERF\to\t1\t1",
        "FERR\ta\t1\t1",
        "FERR\tbook\t1\t1",
        "FERR\tyes\t1\t1",
    ]


def test_options_reach_the_aligner(texts, write, diagonal_aligner):
    priors = write("priors", "LEX\thon\tbook\t7\n")
    run(*texts, "--priors", priors, "--samplers", "5", "--length", "0.5")
    assert diagonal_aligner["settings"].n_samplers == 5
    assert diagonal_aligner["settings"].length == 0.5
    assert diagonal_aligner["priors"].lexical == [("hon", "book", 7.0)]


@pytest.mark.usefixtures("diagonal_aligner")
def test_pairs_that_are_too_long_are_counted(write):
    source, target = write("t.ja", "hon\nhai\n"), write("t.en", "book\n" + "yes " * 1024)
    err = run("--source", source, "--target", target)[1]
    assert err.startswith("too long for eflomal, left unaligned: 1 pair\n")


@pytest.mark.usefixtures("diagonal_aligner")
@pytest.mark.parametrize(
    ("source", "target", "place"),
    [
        (b"hon\nhai\n", b"book\n", "t.en:2: the file ends here"),
        (b"hon\n\n", b"book\nyes\n", "t.ja:2: the sentence is empty"),
        (b"hon\nh\xffi\n", b"book\nyes\n", "t.ja:2: byte 0xff at column 2"),
    ],
)
def test_bad_text_is_named_with_its_line(write, source, target, place):
    texts = ["--source", write("t.ja", source), "--target", write("t.en", target)]
    command_line.refuses(f"{place} … fix the pair or remove it", 1, "align", *texts)


def test_one_pair_with_one_link_is_not_several(write):
    line = write("one", "0-0\n")
    err = run("--forward", line, "--backward", line, "--symmetrise", "union")[1]
    assert err == "1 pair, 1 link (union)\n"


# as subprocess.call, which eflomal uses; the file says that there is a process to be ended
SLEEPER = """
import subprocess, time
def write_text(stream, sentences, n_words): stream.write(b"x")
class TextIndex:
    def __init__(self, index): pass
def align(source, target, **options):
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            with open(source + ".pid", "w") as stream: stream.write(str(process.pid))
            while process.poll() is None: time.sleep(0.01)
        except:
            process.kill()
            raise
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_ends_eflomal_too_and_removes_its_files(texts, write, tmp_path, number):
    write("eflomal.py", SLEEPER)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    paths = os.pathsep.join([str(tmp_path), str(Path(frame.__file__).parent.parent)])
    with started(
        [sys.executable, "-m", "hyperbaton", "align", *texts],
        env={**os.environ, "PYTHONPATH": paths, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        begun = wait_until(
            lambda: [path for path in temporary.glob("*/source.pid") if path.read_text()], process
        )
        sleeper = int(begun[0].read_text())
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert err == "aligning 2 pairs in both directions with eflomal\n"
    assert list(temporary.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(sleeper, 0)


@needs_eflomal
def test_eflomal_aligns_from_the_command_line(write, tmp_path):
    # It cannot be seeded: what is certain is the form, and that most single words find each other
    source, target = (
        write("t.ja", "hon\nhai\nkatta\n" * 40),
        write("t.en", "book\nyes\nbought\n" * 40),
    )
    texts, priors = ["--source", source, "--target", target], tmp_path / "priors"
    out, err = run(*texts, "--save-priors", priors)
    assert "aligning 120 pairs in both directions with eflomal\n" in err
    assert len(out.splitlines()) == 120
    assert set(out.splitlines()) <= {"0-0", ""}
    assert out.count("0-0") > 60
    assert "LEX\thai\tyes\t" in priors.read_text()
    run(*texts, "--priors", priors)


def test_raw_text_is_tokenised(write, monkeypatch):
    seen = []

    def align_corpus(corpus, *_):
        seen.append(corpus)
        return Ragged(np.array([[2, 1]], np.uint16), np.array([0, 1])), Ragged(
            np.array([[2, 1]], np.uint16), np.array([0, 1])
        )

    monkeypatch.setattr("hyperbaton.corpus.aligning.aligning_files.align_corpus", align_corpus)
    monkeypatch.setattr("hyperbaton.corpus.aligning.aligner.load_eflomal", lambda: None)
    monkeypatch.setattr("hyperbaton.corpus.aligning.aligning_files.load_eflomal", lambda: None)
    raw = ["--source", write("t.ja", "Ａb 本\n"), "--target", write("t.en", "a  Book\n")]
    languages = ["--source-language", "ja", "--target-language", "en"]
    tokenisers = ["--set", "text.source_tokeniser=char", "--set", "text.target_tokeniser=none"]
    out, _ = run(*raw, *languages, *tokenisers)
    assert out == "2-1\n"
    assert seen[0].source.vocabulary.words[3:] == ("A", "b", "本")
    assert seen[0].target.vocabulary.words[3:] == ("a", "Book")
