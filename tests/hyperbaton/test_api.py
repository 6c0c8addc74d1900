"""The public Python API: the functions behind the commands, and nothing heavy to import."""

import tomllib
from dataclasses import replace
from functools import partial

import pytest
import sacrebleu

import hyperbaton
from hyperbaton import main as frame
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.system.folder import NAME, read_system
from hyperbaton.tuning.comparison import run
from tests.child_processes import HEAVY, loaded_by
from tests.refusals import refusals, refused
from tests.tuning.comparison.tiny import LEX, LINEAR, in_this_process, tiny_configuration

FILES = {
    "s": "hon o katta\nkare wa hon o yonda\n",
    "t": "bought a book\nhe read a book\n",
    "a": "0-2 2-0\n0-0 2-3 4-1\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def translator(folder):
    return hyperbaton.train(
        source=str(folder / "s"),
        target=folder / "t",
        alignment=folder / "a",
        out=folder / "model",
        distortion=["linear"],
        lm={"order": 3},
        phrases={"max_length": 2},
    )


def test_importing_is_light_and_names_are_known():
    code = (
        "import sys, hyperbaton\n"
        "loaded = set(sys.modules)\n"
        "assert set(dir(hyperbaton)) == set(hyperbaton.__all__)\n"
        "assert all(callable(getattr(hyperbaton, name)) for name in hyperbaton.__all__)\n"
    )
    loaded_by(code)  # without an error
    assert not HEAVY & loaded_by("import hyperbaton")
    with pytest.raises(AttributeError, match="'translater'"):
        hyperbaton.translater  # noqa: B018


def test_training_is_that_of_the_command(translator, folder, tmp_path):
    arguments = ["train", "--distortion", "linear", "--lm-order", "3", "--max-phrase-length", "2"]
    for name, option in zip(FILES, ("--source", "--target", "--alignment"), strict=True):
        arguments += [option, str(folder / name)]
    with pytest.raises(SystemExit) as stop:
        frame.main([*arguments, "--out", str(tmp_path / "model")])
    assert stop.value.code == 0
    assert tomllib.loads((folder / "model" / NAME).read_text()) == tomllib.loads(
        (tmp_path / "model" / NAME).read_text()
    )  # parts are named after all that they depend on
    assert translator.translate("hon o katta").text == "bought a book"


def test_wrong_settings_are_refused(folder):
    files = {"source": folder / "s", "target": folder / "t", "alignment": folder / "a"}
    for wrong, facts in (
        ({"lm": {"ordre": 3}}, "'lm.ordre' … did you mean lm.order"),
        ({"lm_order": 3}, "lm_order is outside of a section"),
    ):
        attempt = partial(hyperbaton.train, **files, out=folder / "other", **wrong)
        refused(facts, attempt, SettingError)
    assert not (folder / "other").exists()


def test_tuning_gives_the_system_its_weights(translator, folder):
    result = hyperbaton.tune(
        folder / "model",
        source=folder / "s",
        references=folder / "t",
        fixed=["lm=0.25"],
        tune={"replicas": 1, "metric": "ter", "iterations": 1, "n_best": 5},
        mert={"restarts": 1},
        search={"distortion_limit": 3},
    )
    content = read_system(folder / "model")
    assert content["weights"].items() >= result.weights.items()
    assert (result.weights["lm"], translator.weights["lm"]) == (0.25, 0.5)
    assert content["search"]["distortion_limit"] == 3
    assert result.runs[0].trace.metric == "TER"
    assert (folder / "model" / "tuning" / "tuning.svg").exists()
    tuned = hyperbaton.Translator.load(folder / "model")
    outputs = [tuned.translate(line).text for line in FILES["s"].splitlines()]
    references = FILES["t"].splitlines()
    expected = sacrebleu.corpus_ter(outputs, [references], case_sensitive=True).score
    assert result.score == pytest.approx(expected)


def test_evaluation_of_sentences_and_files(folder):
    outputs, references = ["he bought a book", "he read"], ["he bought a book", "he read it all"]
    result = hyperbaton.evaluate(outputs, references, ["bleu", "ter"], resamples=0)
    expected = sacrebleu.corpus_bleu(outputs, [references], tokenize="none").score
    assert result.score_of("bleu").score == pytest.approx(expected)
    assert result.score_of("TER").score == pytest.approx(25.0)  # 2 of 8 words are missing
    for name, lines in (("out", outputs), ("ref", references)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    read = hyperbaton.evaluate(str(folder / "out"), folder / "ref", "ter", resamples=0)
    assert read.score_of("ter").score == pytest.approx(25.0)
    several = hyperbaton.evaluate(outputs, [folder / "ref", folder / "out"], "ter", resamples=0)
    assert several.score_of("ter").score == 0.0
    groups = [[reference, output] for reference, output in zip(references, outputs, strict=True)]
    assert hyperbaton.evaluate(outputs, groups, "ter", resamples=0).score_of("ter").score == 0.0


def test_evaluation_of_several_systems():
    references = ["he bought a book", "he read it all"] * 10
    systems = {"good": references, "bad": ["he bought", "he read it"] * 10}
    result = hyperbaton.evaluate(systems, references, baseline="bad", resamples=100)
    assert result.score_of("bleu", "good").score == pytest.approx(100.0)
    assert result.score_of("bleu", "good").p_value < 0.05
    assert result.score_of("bleu", "bad").p_value is None
    refused("'chrf' was not measured", lambda: result.score_of("chrf"), SettingError)


@refusals(
    ({"new": ["a"]}, ["a", "b"], "bleu", "2 references for 1 sentence"),
    (["a"], ["a"], ["kendall"], "Kendall needs word alignments", SettingError),
    (["a"], ["a"], "blue", "'blue'", SettingError),
)
def test_what_cannot_be_evaluated(outputs, references, metrics):
    hyperbaton.evaluate(outputs, references, metrics)


def test_a_comparison_leaves_tables_and_a_report(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "run_jobs", in_this_process)
    configuration = tiny_configuration(tmp_path, (LINEAR, LEX))
    untuned = replace(configuration, tune=replace(configuration.tune, method="none"))
    said = []
    out = tmp_path / "out"
    comparison = hyperbaton.compare(untuned, out=str(out), threads=1, verbose=said.append)
    assert comparison.systems == [LINEAR.name, LEX.name]
    assert any("done; 2 of 2" in line for line in said)
    assert {"report.html", "results.csv", "results.json"} <= {path.name for path in out.iterdir()}
    assert not (out / "exhibits.json").exists()


def test_models_of_ones_own_begin_here():
    assert hyperbaton.DistortionModel.__name__ == "DistortionModel"
    assert hyperbaton.check_model.__module__ == "hyperbaton.models.distortion.conformance"
