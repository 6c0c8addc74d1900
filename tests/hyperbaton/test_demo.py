"""The demo: first translations, a quick comparison, and advice that works as it is printed."""

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from hyperbaton import samples
from hyperbaton.commands import demo
from hyperbaton.console import program
from hyperbaton.decoder.translator import Translator
from hyperbaton.tuning.comparison import run
from hyperbaton.tuning.comparison.configuration import ComparedSystem
from tests.child_processes import started
from tests.tuning.comparison.tiny import in_this_process


@pytest.fixture
def small(monkeypatch):
    """Two systems and few sentences instead of eight and many, in one process."""
    whole_sample = samples.sample_configuration

    def configuration(name):
        whole = whole_sample(name)
        systems = (
            ComparedSystem("LINEAR", ("linear",)),
            ComparedSystem("LINEAR+LEX", ("linear", "msd")),
        )
        return replace(
            whole,
            system=systems,
            limits=(6,),
            dev=replace(whole.dev, lines="1-20"),
            test=(replace(whole.test[0], lines="1-100"),),
        )

    monkeypatch.setattr(samples, "sample_configuration", configuration)
    monkeypatch.setattr(demo, "QUICK", {"method": "none"})
    monkeypatch.setattr(run, "run_jobs", in_this_process)


@pytest.mark.usefixtures("small", "shared_stages")
def test_the_demo_translates_compares_and_says_the_same_the_second_time(tmp_path, capsys):
    out = tmp_path / "demo"
    outputs = []
    for _ in range(2):
        demo.Demo(out=out).run()
        outputs.append(capsys.readouterr())
    assert outputs[0].out == outputs[1].out
    said = outputs[0].out
    first, best = said.index("a first system"), said.index("the best system, LINEAR+LEX @ 6")
    assert first < said.index("▶") < said.index("BLEU") < best  # pictures come before the table
    assert said.count("  reference  ") == 2 * demo.N_SHOWN
    assert outputs[1].err.count("nothing has changed") == 10
    assert "2 of 2 runs are already done" in outputs[1].err
    assert (out / "ja-en" / "report.html").read_text().startswith("<!doctype html>")
    model = Translator.load(out / "ja-en" / "best")
    assert [model.name for model in model.distortion] == ["linear", "msd"]
    advice = said[said.index("try it yourself:") :].splitlines()[1:]
    *commands, page = (
        line.replace(program(), f"{sys.executable} -m hyperbaton", 1) for line in advice
    )
    assert page.endswith("serve --demo --open")
    assert len(commands) == 2
    for line in commands:
        done = subprocess.run(
            line,
            shell=True,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "he bought a book ." in done.stdout
    assert (tmp_path / "jumps.svg").read_text().startswith("<svg ")


@pytest.mark.usefixtures("small")
def test_only_the_full_demo_uses_both_samples_and_all_of_them(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(demo, "demonstrate", lambda name, *_, full: asked.append((name, full)))
    demo.Demo(out=tmp_path).run()
    demo.Demo(out=tmp_path, full=True).run()
    assert asked == [("ja-en", False), ("ja-en", True), ("zh-en", True)]


def stopped_in_the_comparison(out):
    """Both outputs of a demo that gets Ctrl-C when the comparison has begun to fit its models."""
    command = [sys.executable, "-m", "hyperbaton", "demo", "--out", out, "--threads", "1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started(command, start_new_session=True, **pipes) as process:
        said = ""
        while said.count("target_classes: ") < 2:
            line = process.stderr.readline()
            assert line, said
            said += line
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        shown, rest = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in rest
    return shown, said


def test_a_stopped_demo_goes_on_with_what_it_has(tmp_path):
    out = tmp_path / "demo"
    shown, said = stopped_in_the_comparison(out)
    assert shown.count("  translation  ") == demo.N_SHOWN
    assert "nothing has changed" not in said
    again, told = stopped_in_the_comparison(out)
    assert again == shown
    parts = "phrases", "lm", "source_classes", "target_classes"
    for part in (*parts, "source_tagger"):
        assert f"{part}: nothing has changed" in told
    for part in parts:
        assert told.count(f"{part}: nothing has changed") == 2
    assert Translator.load(out / "ja-en" / "first").translate("hon o").text
