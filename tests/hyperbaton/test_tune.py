"""`hyperbaton tune`: what it prints, writes and refuses."""

import json
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from contextlib import nullcontext
from unittest.mock import patch

import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.stream import decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.system.folder import NAME, read_system, write_weights
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.stages import locked
from hyperbaton.models.system.training import train_system
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.ter import Ter
from hyperbaton.tuning.weights import system_tuning
from tests import command_line
from tests.child_processes import started
from tests.refusals import states
from tests.tuning.small_language import all_pairs

QUICK = ("--method=mert", "--set=mert.restarts=2", "--set=mert.directions=1", "--n-best=30")
START = {"linear": 1.0, "word_penalty": 0.5, "lm": 0.2}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a system that has bad weights, and a development set."""
    folder = tmp_path_factory.mktemp("system")
    for name, pairs in zip(("train", "dev"), all_pairs(), strict=True):
        columns = zip(*pairs, strict=True)
        for ending, rows in zip(("s", "t", "a"), columns, strict=True):
            lines = (
                " ".join(f"{s}-{t}" for s, t in row) if ending == "a" else " ".join(row)
                for row in rows
            )
            (folder / f"{name}.{ending}").write_text("".join(f"{line}\n" for line in lines))
    train = CorpusFiles(folder / "train.s", folder / "train.t", folder / "train.a")
    phrases = PhraseSettings(max_length=3, reordering="none")
    train_system(train, folder / "model", TrainingSettings(phrases=phrases))
    write_weights(folder / "model", START, -1, {})
    return folder


@pytest.fixture
def folder(trained, tmp_path):
    return shutil.copytree(trained, tmp_path / "work")


@pytest.fixture
def run(folder):
    """Tunes the system: standard output and standard error. A picture, which takes as long as all
    the rest, is drawn if it is asked for."""
    dev = ["--source", folder / "dev.s", "--reference", folder / "dev.t"]

    def run_tune(*arguments, quick=True, drawn=False, **how):
        plot = nullcontext() if drawn else patch("hyperbaton.views.tuning_text.plot_tuning")
        with plot:
            options = [*(QUICK if quick else []), *arguments]
            return command_line.outcome("tune", folder / "model", *dev, *options, **how)

    return run_tune


@pytest.mark.parametrize("where", ["write_json", "write_weights", "tune_replicas"])
def test_a_kill_at_the_end_or_in_a_second_run_does_not_tune_the_tuned(
    run, folder, monkeypatch, where
):
    """The work of `where` is done, and then the process is no more. A run that goes on begins with
    the weights that the first one began with, not with those that it had made of them."""
    file = folder / "model" / NAME
    untuned = file.read_bytes()
    run("--replicas", 1)
    expected = file.read_bytes()
    if where != "tune_replicas":
        shutil.rmtree(folder / "model" / "tuning")
        file.write_bytes(untuned)
    work = getattr(system_tuning, where)

    def work_and_die(*given):
        work(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(system_tuning, where, work_and_die)
        run("--replicas", 1, code=130)
    run("--replicas", 1)
    assert file.read_bytes() == expected


def dev_bleu(folder):
    return dev_score(folder, Bleu())


def dev_score(folder, metric):
    lines = (folder / "dev.s").read_text().splitlines()
    references = [[line] for line in (folder / "dev.t").read_text().splitlines()]
    results = decode_all(Translator.load(folder / "model"), map(Sentence.parse, lines))
    return metric.corpus_score(Outputs([" ".join(r.words()) for r in results], references))


def size_of(weights):
    """Tuned weights have the sum 1."""
    return sum(abs(weight) for name, weight in weights.items() if name != "unknown")


def test_weights_into_the_system_and_results_on_the_screen(run, folder):
    before, content = dev_bleu(folder), read_system(folder / "model")
    out, err = run("--replicas", 2, "--distortion-limit", 5, drawn=True)
    after = dev_bleu(folder)
    assert after > before + 3
    tuned = read_system(folder / "model")
    assert tuned["search"]["distortion_limit"] == 5
    assert list(tuned["weights"]) == list(content["weights"])
    assert tuned["weights"] != content["weights"]
    for name in ("format", "hyperbaton", "parts", "distortion", "corpus"):
        assert tuned.get(name) == content.get(name)
    table = tuned["tuning"]
    assert table["score"] == pytest.approx(after)
    assert table["score_before"] == pytest.approx(before)
    assert (table["metric"], table["replicas"], table["sentences"]) == ("BLEU", 2, 21)
    assert (table["settings"]["mert"]["restarts"], table["search"]["distortion_limit"]) == (2, 5)
    # what is told
    assert f"  seed  iterations  BLEU before  BLEU after  stopped by\n     1  {'':8}" in out
    assert re.search(r"mean of 2 replicas: BLEU \d+\.\d\d ± \d\.\d\d\n", out)
    assert re.search(rf"kept: replica [12], BLEU {after:.2f} \(before: {before:.2f}\)", out)
    shown = 1.0 / size_of(content["weights"])  # before, at the size of what is learned
    assert re.search(rf"linear +{shown:.4f} +{tuned['weights']['linear']:.4f}", out)
    assert "replica 2 of 2, seed 2" in err
    assert f"tuned: {folder}/model/{NAME}" in err
    # what is kept
    state = folder / "model" / "tuning"
    assert {path.name for path in state.iterdir()} == {
        "seed-1", "seed-2", "tuning.json", "tuning.svg",
    }  # fmt: skip
    summary = json.loads((state / "tuning.json").read_text())
    assert {name: content["weights"][name] for name in summary["before"]} == summary["before"]
    assert summary["after"].items() <= tuned["weights"].items()
    scores = [step["score"] for step in summary["replicas"][0]["steps"]]
    assert max(scores) == pytest.approx(after)
    picture = (state / "tuning.svg").read_text()
    for text in ("seed 2", "development set, decoded", "word_penalty", "weights of seed 1"):
        assert text in picture


def test_a_scale_for_minimum_bayes_risk(run, folder):
    out, _ = run("--replicas", 1, "--iterations", 1)
    assert "Bayes" not in out
    assert "mbr_scale" not in read_system(folder / "model")["search"]
    out, _ = run("--replicas", 1, "--iterations", 1, "--choose-mbr-scale")
    [kept] = re.findall(r"^ +(\d+) +(\d+\.\d\d) +kept$", out, re.MULTILINE)
    assert read_system(folder / "model")["search"]["mbr_scale"] == float(kept[0])
    summary = json.loads((folder / "model" / "tuning" / "tuning.json").read_text())["mbr"]
    assert max(summary["scores"].values()) == pytest.approx(float(kept[1]), abs=0.01)
    assert f"minimum Bayes risk (without: {summary['without']:.2f})" in out
    # another tuning leaves it alone
    run("--replicas", 1, "--iterations", 1, "--metric", "ter")
    assert read_system(folder / "model")["search"]["mbr_scale"] == float(kept[0])


def test_weights_that_were_only_rescaled_were_called_tuned(run, folder):
    # the references are what the system says already: nothing can be better
    lines = (folder / "dev.s").read_text().splitlines()
    results = decode_all(Translator.load(folder / "model"), map(Sentence.parse, lines))
    (folder / "dev.t").write_text("".join(f"{' '.join(one.words())}\n" for one in results))
    before = read_system(folder / "model")["weights"]
    out, err = run("--replicas", 1, "--iterations", 1, drawn=True)
    assert read_system(folder / "model")["weights"] == before
    assert "kept: the old weights, BLEU 100.00: no gain\n" in out
    assert re.search(r"weight +unchanged\n.*\blinear +1\.0000\n", out, re.DOTALL)
    assert "tuned:" not in err
    assert f"no gain, weights unchanged: {folder}/model/{NAME};" in err


def test_unknown_words_of_the_development_set_are_counted(run, folder):
    assert "unknown words" not in run("--replicas", 1, "--iterations", 1)[1]
    text = (folder / "dev.s").read_text()
    (folder / "dev.s").write_text("zzz " + text)
    n, n_types = len(text.split()) + 1, len(set(text.split())) + 1
    _, err = run("--replicas", 1, "--iterations", 1)
    assert (
        f"dev: unknown words: 1 of {n} ({1 / n:.1%}), 1 of {n_types} types ({1 / n_types:.1%})\n"
    ) in err


def test_the_same_command_again_changes_nothing(run, folder):
    before = dev_bleu(folder)
    run("--replicas", 1)
    first = (folder / "model" / NAME).read_text()
    out, err = run("--replicas", 2)
    assert "seed 1: already done" in err
    assert "seed 2: already done" not in err
    assert tomllib.loads(first)["tuning"]["score_before"] == pytest.approx(before)
    assert f"(before: {before:.2f})" in out
    # other inputs begin from the weights that the system has now
    now = dev_score(folder, Ter())
    out, err = run("--replicas", 1, "--metric", "ter")
    assert "already done" not in err
    assert now == 0
    assert "kept: the old weights, TER 0.00: no gain" in out
    # weights that someone has changed by hand are respected
    write_weights(folder / "model", START | {"lm": 0.3}, -1, {})
    given = read_system(folder / "model")["weights"]
    out, err = run("--replicas", 1, "--metric", "ter", "--set", "tune.confirm=false")
    assert "already done" not in err
    assert re.search(rf"lm +{0.3 / size_of(given):.4f}", out)


def test_beginning_anew(run, folder):
    run("--replicas", 1)
    write_weights(folder / "model", START, -1, {})
    (folder / "model" / "tuning" / "seed-1" / "trace.json").write_text("{")
    _, err = run("--replicas", 1, "--restart")
    assert "already done" not in err
    assert "iteration  0" in err


def test_an_interrupted_run_goes_on(folder, monkeypatch, run):
    command = [
        sys.executable, "-m", "hyperbaton", "tune", folder / "model", "--source", folder / "dev.s",
        "--reference", folder / "dev.t", "--method", "pro", "--iterations", "500", "--replicas",
        "1",
    ]  # fmt: skip
    with started(command, stderr=subprocess.PIPE, text=True) as process:
        assert any(line.startswith("iteration  2") for line in process.stderr)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait() == 130
    assert "stopped; run the same command again to resume" in rest
    trace = folder / "model" / "tuning" / "seed-1" / "trace.json"
    done = len(json.loads(trace.read_text())["steps"])
    assert done >= 2
    assert read_system(folder / "model")["weights"].items() >= START.items()
    monkeypatch.setattr("hyperbaton.tuning.weights.loop._reason_to_stop", lambda *_: "enough")
    arguments = ["--method", "pro", "--iterations", 500, "--replicas", 1]
    _, err = run(*arguments, quick=False)
    assert f"seed 1: resumes after {done} decodings" in err


@pytest.mark.parametrize("method", ["mira", "pro"])
def test_other_methods_metrics_and_pictures(run, folder, method):
    plot = folder / "tuning.png"
    out, _ = run(
        "--method", method, "--metric", "bleu-ter", "--replicas", 1, "--plot", plot,
        "--fix", "lm", "--fix", "phrase_penalty", "--set", "pro.interpolation=0.5",
        drawn=True,
    )  # fmt: skip
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert re.search(r"lm +0\.2000( +0\.2000)?\n", out)  # once if nothing was gained
    assert "BLEU − TER after" in out
    assert "mean of" not in out


@pytest.mark.parametrize("option", [["--protocol", "goto"], ["--average"]])
def test_protocols(run, option):
    out, _ = run(*option, "--replicas", 2, drawn=True)
    assert ("on the second half" in out) == ("goto" in option)
    assert ("kept: the average of 2 replicas" in out) == ("--average" in option)


def test_metrics_of_word_order(run, folder):
    alignment = ["--reference-alignment", folder / "dev.a"]
    unsure = "--set", "tune.confirm=false"  # of so few sentences
    out, _ = run("--metric", "kendall", "--replicas", 1, *alignment, *unsure)
    after, before = map(
        float, re.search(r"kept: .*Kendall (\d+\.\d\d) \(before: (\d+\.\d\d)\)", out).groups()
    )
    assert before < after <= 100


@pytest.mark.parametrize(
    ("arguments", "code", "facts"),
    [
        ("--metric blue", 2, "unknown metric 'blue' in 'blue'"),
        ("--metric bleu+ter", 2, "subtract it: bleu-ter"),
        ("--metric kendall", 2, "Kendall needs word alignments of the references"),
        ("--method mert2", 2, "no tuning method 'mert2' … did you mean mert?"),
        ("--method none", 2, "no tuning method 'none'"),
        ("--set mira.stpe=3", 2, "did you mean mira.step?"),
        ("--method mert --set mert.restarts=-1", 2, "mert.restarts is -1"),
        ("--fix lmm", 2, "no feature 'lmm' … did you mean lm?"),
        ("--average --protocol goto", 2, "exclude each other"),
        ("--iterations 0", 2, "tune.iterations is 0"),
        ("--n-best 1", 2, "tune.n_best is 1"),
        ("--set mert.restart=3", 2, "did you mean mert.restarts?"),
        ("--plot a.doc", 1, ".doc is not a picture format"),
        ("--source -", 2, "a stream cannot be used here"),
        ("--source nothing", 1, "nothing: no such file"),
        ("--reference short", 1, "short:2: the file ends here"),
        ("--source short", 1, "short:2: the file ends here"),
        ("--source-tags short", 1, "short"),
        ("", 1, "another run is working in this folder"),
    ],
)
def test_wrong_usage(run, folder, monkeypatch, arguments, code, facts):
    (folder / "short").write_text("kare\n")
    monkeypatch.chdir(folder)
    with nullcontext() if arguments else locked(folder / "model" / "tuning"):
        _, err = run(*arguments.split(), code=code)
    assert states(err, facts)
    assert read_system(folder / "model")["weights"].items() >= START.items()
