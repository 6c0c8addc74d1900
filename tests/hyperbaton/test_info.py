"""`hyperbaton info`: the models by name, and what a system holds."""

import json
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from hyperbaton.corpus.corpora.corpus import Side
from hyperbaton.models.distortion.catalogue import ENTRY_POINTS, MODELS, make_model
from hyperbaton.models.distortion.interface import fit_model
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.system.folder import default_weights
from hyperbaton.views.known_models import describe, known_models
from hyperbaton.views.system_text import size_text
from tests import command_line
from tests.samples import sample


class Learned(Linear):
    """Has something to learn, from tags.

    And more to say.
    """

    name = "learned"
    requires = frozenset({"tags"})

    def __init__(self, strength: float = 1.5, kind: str = "soft") -> None:
        self.strength, self.kind = strength, kind

    def fit(self, corpus):
        self.size_ = len(corpus)
        return self


class Moody(Linear):
    def __init__(self):
        raise ValueError("not today")


def command(*arguments, **options):
    return command_line.outcome("info", *arguments, **options)


def test_every_model_of_the_catalogue_is_described():
    known = {entry.name: entry for entry in known_models()}
    assert set(MODELS) <= set(known)
    for name in MODELS:
        entry = known[name]
        assert not entry.fault
        assert entry.description, f"{name} does not say what it is"
        assert entry.features == make_model(name).feature_names
        assert entry.description.split()[0] in describe(entry)


def test_what_models_learn_and_need():
    known = {entry.name: entry for entry in known_models()}
    learns, needs = (
        {name: _row(entry, title) for name, entry in known.items()} for title in ("learns", "needs")
    )
    in_training, with_table = "from a corpus, in training", "from a corpus, with the phrase table"
    assert learns == dict.fromkeys(MODELS, in_training) | {
        "gaps": "nothing", "linear": "nothing", "oracle": "nothing", "msd": with_table
    }  # fmt: skip
    next_word = "words; classes, tags if it was trained with them"
    assert needs == dict.fromkeys(MODELS, "words only") | {
        **dict.fromkeys(("attention", "nine-class", "pair", "sequence"), next_word),
        "oracle": "words and order", "parse": "words; tags, tree if it was trained with them",
    }  # fmt: skip


def _row(entry, title):
    [line] = [line for line in describe(entry).splitlines() if line.startswith(f"  {title} ")]
    return line.removeprefix(f"  {title}").strip()


@pytest.fixture(scope="module")
def layered():
    """A corpus with tags and trees."""
    corpus = sample("ja-en", "dev")
    return corpus.take(np.arange(40))


@pytest.mark.parametrize("name", ["msd", "nine-class", "parse"])
def test_a_fitted_model_asks_only_for_layers_that_it_said(name, layered):
    bare = replace(layered, source=Side(layered.source.vocabulary, layered.source.words))
    for corpus, asks in ((layered, True), (bare, False)):
        model = make_model(name)
        said = model.uses
        fitted = fit_model(model, corpus, phrases=train_phrases(corpus))
        assert fitted.uses == said
        asked = fitted.requires | fitted.wants
        assert asked == (said - {"classes"} if asks else frozenset())


def test_models_of_packages(monkeypatch):
    points = [
        EntryPoint("learned", f"{__name__}:Learned", ENTRY_POINTS),
        EntryPoint("gone", "no_such_module:Model", ENTRY_POINTS),
        EntryPoint("odd", "builtins:dict", ENTRY_POINTS),
        EntryPoint("moody", f"{__name__}:Moody", ENTRY_POINTS),
    ]
    for module in ("hyperbaton.foundation.catalogue", "hyperbaton.views.known_models"):
        monkeypatch.setattr(f"{module}.entry_points", lambda group: points)  # noqa: ARG005
    monkeypatch.setitem(MODELS, "broken", "math:pi")
    known = {entry.name: entry for entry in known_models()}
    assert describe(known["learned"]) == (
        "learned (from ?): Has something to learn, from tags.\n"
        "  features  linear (0.3)\n"
        "  settings  strength=1.5  kind=soft\n"
        "  learns    from a corpus, in training\n"
        "  needs     words and tags"
    )
    assert describe(known["gone"]) == (
        "gone (from ?)\n  cannot be used: the distortion model 'gone' cannot be loaded: "
        "No module named 'no_such_module'"
    )
    assert "is not a distortion model" in known["odd"].fault
    assert "'broken' is not a distortion model" in known["broken"].fault
    assert describe(known["moody"]) == "moody (from ?)\n  cannot be used: ValueError: not today"


def test_the_list_as_text_and_json():
    out, _ = command()
    assert "\n\nlinear: Linear distortion (Ni et al. 2011, eq. 1): −|jump|" in out
    assert "  settings  type=wbe-msd-bidirectional-fe\n" in out
    out, _ = command("--format=json")
    entries = {entry["name"]: entry for entry in json.loads(out)}
    assert entries["linear"]["features"] == ["linear"]
    assert entries["msd"]["settings"] == {"type": "wbe-msd-bidirectional-fe"}
    assert entries["gaps"]["layers"] == []


def test_what_a_system_holds(model):
    out, error = command(model)
    assert error == ""
    assert out.startswith(f"{model}: a system made by hyperbaton ")
    assert "reordering wbe-msd-bidirectional-fe" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["msd,type=wbe-msd-bidirectional-fe", "6", "-", "words"] in lines
    assert ["linear", "linear", "0.3"] in lines
    assert ["lm", "0.5"] in lines
    assert ["search.distortion_limit", "6"] in lines
    assert ["corpus.skip_bad", "false"] in lines
    assert ["alignment", str(model.parent / "alignment")] in lines


def test_a_system_as_json(model):
    out, _ = command(model, "--format=json")
    content = json.loads(out)
    assert content["weights"] == default_weights("wbe-msd-bidirectional-fe")
    assert [entry["name"] for entry in content["distortion"]] == ["linear", "msd"]
    for part in content["parts"].values():
        folder = model / part["folder"]
        assert part["bytes"] == sum(path.stat().st_size for path in folder.iterdir())
    assert content["parts"]["lm"]["holds"].startswith("5-gram model of ")


def test_a_part_that_is_missing(model, tmp_path):
    command(tmp_path / "none", code=1)
    text = (model / "model.toml").read_text()
    (tmp_path / "model.toml").write_text(text)
    _, error = command(tmp_path, code=1)
    assert ": is missing\n  train or import the system again" in error


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9949, "9.9 kB"), (12_345, "12 kB"),
     (999_499, "999 kB"), (999_600, "1.0 MB"), (3 * 10**12, "3.0 TB"), (10**16, "10000 TB")],
)  # fmt: skip
def test_sizes(size, text):
    assert size_text(size) == text
