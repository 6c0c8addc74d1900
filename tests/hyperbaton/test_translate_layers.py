"""`hyperbaton translate` says how many sentences had no tree, if a model would have used it."""

from collections import Counter
from dataclasses import replace

import pytest

from hyperbaton.commands.translate import Translate, missing_lines
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.parse.model import Parse
from hyperbaton.models.system.training import train_system
from tests.models.distortion.parse.small import small_corpus
from tests.tiny_systems import TWO_PAIRS, write_corpus

TREES = "(S (NN hon) (P o) (VB katta))\n\n(S (NN kare))\n"


class LinearWithTrees(Linear):
    """As linear distortion; only that it wants trees."""

    @property
    def wants(self):
        return frozenset({"tree"})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    (folder / "in").write_text("hon o katta\n\nkare\n")
    (folder / "trees").write_text(TREES)
    train_system(write_corpus(folder, times=1, **TWO_PAIRS), folder / "m")
    return Translate(
        model=folder / "m",
        source=folder / "in",
        out=folder / "out",
        threads=1,
        distortion=(f"{__name__}:LinearWithTrees",),
    )


def lines(run, capsys):
    run.run()
    return [line for line in capsys.readouterr().err.splitlines() if "tree" in line]


def test_sentences_without_trees_are_counted(run, capsys):
    without = "2 of 3 sentences had no tree: linear scored them with the other features"
    assert lines(run, capsys) == [without]  # the empty one needs none
    assert lines(replace(run, stats=True), capsys) == [without]


def test_nothing_is_said_where_nothing_is_missing(run, capsys):
    with_trees = replace(run, source_tree=run.model.parent / "trees")
    assert lines(with_trees, capsys) == []
    assert lines(replace(with_trees, stats=True), capsys) == ["all sentences had a tree for linear"]
    assert lines(replace(run, distortion=("linear",), stats=True), capsys) == []


def test_several_models():
    users = {"tree": ["parse", "other"], "tags": ["third"]}
    assert missing_lines(users, Counter(tree=1), 9, every=False) == [
        "1 of 9 sentences had no tree: parse and other scored them with the other features"
    ]


def test_the_parse_model_wants_trees_if_it_has_seen_any():
    assert Parse().wants == frozenset()
    few = {"iterations": 1}
    assert Parse(use="me+sib", **few).fit(small_corpus()).wants == {"tree"}
    assert Parse(use="me", **few).fit(small_corpus()).wants == frozenset()
    assert Parse(use="me+sib", **few).fit(small_corpus(trees=False)).wants == frozenset()
