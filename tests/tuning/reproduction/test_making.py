"""Exhibits are made once, kept, and left out with a reason."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hyperbaton.foundation.progress import Reporter
from hyperbaton.samples import sample_configuration
from hyperbaton.tuning.comparison.configuration import ComparedSystem
from hyperbaton.tuning.reproduction import making
from hyperbaton.tuning.reproduction.exhibit import Exhibit, LeftOut
from hyperbaton.tuning.reproduction.making import EXHIBIT_KINDS, make_exhibits
from hyperbaton.tuning.reproduction.material import ExhibitKind, Material
from hyperbaton.tuning.reproduction.presets import PRESETS, find_preset
from tests.refusals import refused
from tests.tuning.comparison.tiny import tiny_configuration
from tests.tuning.report.comparisons import make_comparison


@pytest.fixture(scope="module")
def comparison():
    return make_comparison({"A": 0.1, "B": 0.2}, n_sentences=4)


@pytest.fixture
def kinds(monkeypatch):
    """One that counts how often it is made, and one that never is."""
    made = []

    def make(material):
        made.append(material.threads)
        return Exhibit("counted", "Counted", [str(len(made))])

    def no(_):
        raise LeftOut("there is nothing to show")

    known = {
        "counted": ExhibitKind("counted", "Counted", lambda _: ["x", len(made) // 10], make),
        "never": ExhibitKind("never", "Never", no, make),
        "late": ExhibitKind("late", "Late", lambda _: [], no),
    }
    monkeypatch.setattr(making, "EXHIBIT_KINDS", known)
    return made


def test_made_once(comparison, kinds, tmp_path):
    said = []
    [first] = make_exhibits(comparison, ["counted"], tmp_path, 1, Reporter(said.append))
    content = (tmp_path / "exhibits.json").read_bytes()
    [second] = make_exhibits(comparison, ["counted"], tmp_path, 2, Reporter(said.append))
    assert len(kinds) == 1
    assert first == second
    assert (tmp_path / "exhibits.json").read_bytes() == content
    assert said[1] == "exhibit_counted: nothing has changed"
    kinds += [0] * 9  # now it depends on something else
    [third] = make_exhibits(comparison, ["counted"], tmp_path, 1)
    assert third.notes == ["11"]


@pytest.mark.usefixtures("kinds")
def test_what_cannot_be_made_is_named(comparison, tmp_path):
    said = []
    found = make_exhibits(
        comparison, ["never", "counted", "late"], tmp_path, 1, Reporter(said.append)
    )
    assert [exhibit.name for exhibit in found] == ["counted"]
    assert said[0] == "Never is skipped: there is nothing to show"
    assert said[-1] == "Late is skipped: there is nothing to show"
    assert [record["name"] for record in json.loads((tmp_path / "exhibits.json").read_text())] == [
        "counted"
    ]
    assert make_exhibits(comparison, ["never"], tmp_path) == []
    assert not (tmp_path / "exhibits.json").exists()
    assert not [path for path in (tmp_path / "parts").iterdir() if "unfinished" in path.name]


def test_the_presets_name_exhibits_that_there_are():
    presets = list(map(find_preset, PRESETS))
    for preset in presets:
        shown = {name for table in preset.table for name in table.exhibits}
        assert shown <= set(preset.exhibits), preset.title
    assert {name for preset in presets for name in preset.exhibits} == set(EXHIBIT_KINDS)


def material(comparison, **changes):
    configuration = replace(comparison.configuration, **changes)
    return Material(comparison, configuration, Path("nowhere"), 1)


def test_reasons(comparison, tmp_path):
    linear = material(comparison)
    plain = material(comparison, system=(ComparedSystem("P", ("parse,use=me+cov",)),))
    test = replace(comparison.configuration.test[0], alignment=None)
    pair = material(comparison, system=(ComparedSystem("P", ("pair",)),), test=(test,))
    few = material(comparison, train=tiny_configuration(tmp_path).train)
    for work, given, facts in (
        (EXHIBIT_KINDS["siblings"].depends, linear, "parse with siblings (use=…+sib)"),
        (EXHIBIT_KINDS["siblings"].depends, plain, "no system has the distortion model parse"),
        (EXHIBIT_KINDS["next_word"].depends, linear, "(nine-class, pair, sequence)"),
        (EXHIBIT_KINDS["data_sizes"].depends, linear, "MOSES and DPR-3"),
        (making.next_word._tests, pair, "no test set has a word alignment"),
        (making.data_sizes._sizes, few, "a quarter of 60 training pairs is too small"),
    ):
        refused(facts, partial(work, given), LeftOut)


def test_too_little_for_classification(comparison, tmp_path):
    path = tmp_path / "one"
    path.write_text("a\n")
    alignment = tmp_path / "links"
    alignment.write_text("0-0\n")
    train = replace(comparison.configuration.train, source=path, target=path, alignment=alignment)
    for kind in ("ni_classification", "alrajeh_classification"):
        with pytest.raises(LeftOut, match="1 sentence pairs are too few"):
            EXHIBIT_KINDS[kind].make(material(comparison, train=train))


def test_models_that_saw_other_events_are_not_mixed(comparison):
    systems = (ComparedSystem("P", ("pair",)), ComparedSystem("S", ("sequence,order=asc",)))
    [only] = making.next_word._models(material(comparison, system=systems))
    assert only.startswith("pair,")


def test_fingerprints_do_not_depend_on_threads(comparison):
    one = material(comparison)
    two = replace(one, threads=2)
    for kind in ("ni_classification", "alrajeh_classification"):
        assert EXHIBIT_KINDS[kind].depends(one) == EXHIBIT_KINDS[kind].depends(two)
    files = sample_configuration("ja-en").test[0].files
    assert len(files) == 6  # source, two references, alignment, tags, trees
