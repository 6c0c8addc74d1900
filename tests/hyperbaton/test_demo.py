"""The demo: a quick comparison on a sample, and translations that are explained."""

from dataclasses import replace

from decoder.translator import Translator
from hyperbaton import samples
from hyperbaton.commands import demo
from tuning.comparison.configuration import System


def test_the_demo_compares_explains_and_says_the_same_the_second_time(
    tmp_path, monkeypatch, capsys
):
    whole_sample = samples.sample_configuration

    def small(name):
        whole = whole_sample(name)
        systems = (System("LINEAR", ("linear",)), System("LINEAR+LEX", ("linear", "msd")))
        return replace(
            whole,
            system=systems,
            limits=(6,),
            dev=replace(whole.dev, lines="1-20"),
            test=(replace(whole.test[0], lines="1-100"),),
        )

    monkeypatch.setattr(samples, "sample_configuration", small)
    monkeypatch.setattr(demo, "QUICK", {"method": "none"})
    outputs = []
    for _ in range(2):
        demo.demonstrate("ja-en", tmp_path / "demo", 2)
        outputs.append(capsys.readouterr())
    assert outputs[0].out == outputs[1].out
    assert "how the best system, LINEAR+LEX @ 6, translates:" in outputs[0].out
    assert outputs[1].err.count("nothing has changed") == 5
    assert "2 of 2 runs are done already" in outputs[1].err
    report = (tmp_path / "demo" / "report.html").read_text()
    assert report.startswith("<!doctype html>")
    best = Translator.load(tmp_path / "demo" / "best")
    assert [model.name for model in best.distortion] == ["linear", "msd"]
    assert best.translate("kare wa hon o katta .").text == "he bought a book ."
