"""`hyperbaton train`, `import` and `export` from the command line."""

import signal
import subprocess
import sys

import pytest

from hyperbaton.models.system.folder import read_system
from hyperbaton.samples import sample_files
from tests.child_processes import PATIENCE, started, wait_until
from tests.command_line import refuses, run
from tests.models.language_model.test_kenlm_model import KENLM

COMMAND = [sys.executable, "-m", "hyperbaton"]


def corpus_arguments(files):
    return ["--source", files.source, "--target", files.target, "--alignment", files.alignment]


@pytest.fixture
def tiny(write):
    return [
        *("--source", write("t.ja", "hon o katta\nkare wa itta\n")),
        *("--target", write("t.en", "bought a book\nhe went\n")),
        *("--alignment", write("t.align", "0-2 2-0\n0-0 2-1\n")),
    ]


def content(model):
    """The bytes of every file of a system's parts, by part and name."""
    return {
        (part, path.name): path.read_bytes()
        for part, folder in read_system(model)["parts"].items()
        for path in (model / folder).iterdir()
    }


def test_a_system_is_trained_exported_and_imported(tiny, tmp_path):
    result = run("train", *tiny, "--out", tmp_path / "m", "--lm-order", 3, "--threads", 1)
    assert result.stdout == ""
    assert f"trained: {tmp_path / 'm'}" in result.stderr
    assert read_system(tmp_path / "m")["settings"]["lm"]["order"] == 3
    result = run("export", tmp_path / "m", "--out", tmp_path / "moses")
    assert f"{tmp_path / 'moses' / 'moses.ini'}" in result.stderr
    result = run("import", tmp_path / "moses" / "moses.ini", "--out", tmp_path / "again")
    assert f"imported: {tmp_path / 'again'}" in result.stderr


def test_language_models_from_files_and_of_classes(tiny, tmp_path):
    binary, arpa = KENLM / "probing.kenlm", KENLM / "lm.arpa"
    given = ["--lm", f"big={binary}", "--lm-classes", 2, "--distortion", "linear"]
    run("train", *tiny, "--out", tmp_path / "m", *given)
    content = read_system(tmp_path / "m")
    assert {"lm", "lm.big", "lm.classes"} < set(content["parts"])
    assert {"lm", "lm.big", "lm.classes"} < set(content["weights"])
    shown = run("info", tmp_path / "m").stdout
    assert "a KenLM binary of order 3" in shown
    assert "5-gram model of 2 word classes" in shown
    listed = ["--n-best", 2, "--n-best-file", tmp_path / "lists"]
    run("translate", tmp_path / "m", *listed, input="hon o katta\n")
    groups = (tmp_path / "lists").read_text().split(" unknown=")[0].split(" lm= ")
    assert len(groups[1].split()) == 3  # lm, lm.big and lm.classes
    run("check", tmp_path / "m")
    said = run("export", tmp_path / "m", "--out", tmp_path / "moses").stderr
    assert "left out, because Moses has no such feature: lm.classes" in said
    assert (tmp_path / "moses" / "lm.big.kenlm").read_bytes() == binary.read_bytes()
    # instead of one of the target text, and trained again without change
    done = run("train", *tiny, "--out", tmp_path / "n", "--lm", binary, "--lm", arpa)
    assert "lm: KenLM binary of order 3" in done.stderr
    done = run("train", *tiny, "--out", tmp_path / "n", "--set", f"lm.files={binary} {arpa}")
    assert "lm: nothing has changed" in done.stderr
    assert read_system(tmp_path / "n")["settings"]["lm"]["files"] == [str(binary), str(arpa)]
    assert "lm.2" in read_system(tmp_path / "n")["weights"]


def test_settings_come_from_options_files_and_assignments(tiny, tmp_path, write):
    config = write(
        "c.toml", '[phrases]\nmax_length = 3\nsmoothing = "kneser-ney"\n[lm]\norder = 4\n'
    )
    options = ["--max-phrase-length", 2, "--set", "lm.order=2", "--config", config]
    run("train", *tiny, "--out", tmp_path / "m", *options)
    settings = read_system(tmp_path / "m")["settings"]
    assert settings["phrases"]["max_length"] == 2
    assert settings["phrases"]["smoothing"] == "kneser-ney"
    assert settings["lm"]["order"] == 2


def test_bad_pairs_are_skipped_and_told(tiny, tmp_path, write):
    write("t.align", "0-2 2-0\n0-9\n")
    result = run("train", *tiny, "--out", tmp_path / "m", code=1)
    assert "t.align:2: link 0-9 is outside its sentence pair" in result.stderr
    assert not (tmp_path / "m" / "model.toml").exists()
    result = run("train", *tiny, "--out", tmp_path / "m", "--skip-bad")
    assert "1 of 2 pairs left out:\n  1 × link outside, first at" in result.stderr


def test_a_place_that_cannot_be_written(tiny, write):
    refuses("file: is not a folder", 1, "train", *tiny, "--out", write("file", "in the way"))


def test_weights_survive_a_second_training(tiny, tmp_path):
    run("train", *tiny, "--out", tmp_path / "m")
    toml = tmp_path / "m" / "model.toml"
    toml.write_text(toml.read_text().replace("lm = 0.5", "lm = 0.77"))
    result = run("train", *tiny, "--out", tmp_path / "m")
    assert "keeping the weights" in result.stderr
    assert read_system(tmp_path / "m")["weights"]["lm"] == 0.77


@pytest.mark.parametrize(
    ("options", "code", "facts"),
    [
        ("--lm-order 7", 2, "lm.order: … order 7"),
        ("--set lm.prune=x", 2, "lm.prune: 'x'"),
        ("--set phrases.top=-1", 2, "phrases.top: -1"),
        ("--set phrases.min_count=99", 1, "t.align: all 14 phrase pairs"),
        ("--lm-text -", 2, "-: a stream cannot be used here"),
        ("--lm no.arpa", 1, "no.arpa: no such file"),
        ("--lm a=t.en --lm a=t.en", 2, "two language models are called lm.a"),
        ("--lm classes=t.en", 2, "two language models are called lm.classes"),
        (f"--lm {KENLM / 'lm.arpa'} --lm-text {KENLM / 'lm.arpa'}", 2, "--lm NAME=FILE"),
    ],
)
def test_settings_with_which_nothing_can_be_trained(tiny, tmp_path, options, code, facts):
    refuses(facts, code, "train", *tiny, "--out", tmp_path / "m", *options.split())
    assert not (tmp_path / "m" / "model.toml").exists()


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"mmap lm http://kheafield.com/code format version 4\n\0", "bad.lm: KenLM cannot load"),
        (b"a text\n", "bad.lm: … no \\data\\ line"),
        (b"\\data\\\n" + b"".join(b"ngram %d=1\n" % n for n in range(1, 8)), "1 to 6"),
    ],
    ids=["another version", "no model", "order 7"],
)
def test_an_unusable_language_model_is_refused_before_any_work(tiny, write, content, facts):
    folder = write("bad.lm", content).parent / "m"
    refuses(facts, 1, "train", *tiny, "--out", folder, "--lm", folder.parent / "bad.lm")
    assert not list(folder.glob("parts/*"))


def test_a_full_disk_was_reported_without_a_reason(tiny, tmp_path):
    run("train", *tiny, "--out", tmp_path / "warm")  # kernels are compiled
    # now no file of the process may be longer than a block
    limited = f'ulimit -f 1; exec {" ".join(COMMAND)} "$@"'
    command = ["bash", "-c", limited, "-", "train", *map(str, tiny), "--out", str(tmp_path / "m")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "cannot be written: " in result.stderr
    assert "None" not in result.stderr
    assert "defect" not in result.stderr


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A system that was trained on the sample at one go."""
    model = tmp_path_factory.mktemp("undisturbed") / "model"
    arguments = corpus_arguments(sample_files("ja-en"))
    run("train", *arguments, "--out", model)
    return model


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_leaves_nothing_broken_and_the_next_one_goes_on(undisturbed, tmp_path, how):
    arguments = corpus_arguments(sample_files("ja-en"))
    stopped, codes = tmp_path / "stopped", []
    for part in ("phrases", "lm"):
        begun, command = stopped / "parts", [*COMMAND, "train", *arguments, "--out", stopped]
        with started(command, stderr=subprocess.PIPE, text=True) as process:
            wait_until(lambda: [*begun.glob(f"{part}-*")] or process.poll() is not None)  # noqa: B023
            process.send_signal(how)
            _, err = process.communicate(timeout=PATIENCE)
        codes.append(process.returncode)
        assert "Traceback" not in err
        assert not (stopped / "model.toml").exists() or codes[-1] == 0
    by_signal = 130 if how == signal.SIGINT else -how
    assert by_signal in codes  # one of them may have been too quick for us
    assert set(codes) <= {0, by_signal}
    run("train", *arguments, "--out", stopped)
    assert content(stopped) == content(undisturbed)
    assert len(list((stopped / "parts").iterdir())) == 4
