"""`hyperbaton info --learned`: tables, other formats, and every message."""

import csv
import json

import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.models.distortion.parse.listing import FeatureRow
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.views.system_text import feature_table
from tests import command_line

TREES = """\
(IP (NP (NR wo)) (VP (PP (P gei) (NP (PN ta))) (VP (VV mai) (NP (NN shu)))))
(IP (NP (NR ta)) (VP (PP (P gei) (NP (PN wo))) (VP (VV kan) (NP (NN shu)))))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    for name, text in {
        "s": "wo gei ta mai shu\nta gei wo kan shu\n",
        "t": "i bought books for him\nhe read books for me\n",
        "a": "0-0 1-3 2-4 3-1 4-2\n0-0 1-3 2-4 3-1 4-2\n",
        "tags": "NR P PN VV NN\nNR P PN VV NN\n",
        "target_tags": "PRP VBD NNS IN PRP\nPRP VBD NNS IN PRP\n",
        "trees": TREES,
    }.items():
        (folder / name).write_text(text)
    files = CorpusFiles(
        *(folder / name for name in ("s", "t", "a", "tags", "target_tags", "trees"))
    )
    settings = TrainingSettings(distortion=("linear", "parse,min_count=1,iterations=20"))
    train_system(files, folder / "m", settings)
    train_system(files, folder / "plain", TrainingSettings(distortion=("linear",)))
    train_system(CorpusFiles(*(folder / name for name in "sta")), folder / "no_trees", settings)
    return folder


def command(*arguments, **options):
    return command_line.outcome("info", *arguments, **options)


def test_a_table(folder):
    out, err = command(folder / "m", "--learned", "sibling", "--tag", "VV", "--node", "PP")
    heading, row = out.splitlines()
    assert heading.split() == ["count", "α", "jump", "target", "source", "node", "coverage", "side"]
    count, alpha, *rest = row.split()
    assert (count, rest) == ("2", ["3", "VBD", "VV", "PP", "0", "-1"])
    assert float(alpha) > 1
    assert err.startswith("1 of ")
    assert "features; learned from 10 visits in 2 sentences, 2 with a tree" in err


def test_other_formats(folder):
    question = folder / "m", "--learned", "sibling", "--tag", "VV", "--side", "left", "--rows", 1
    out, _ = command(*question, "--format", "json")
    row = json.loads(out)
    assert (row["source"], row["node"], row["coverage"], row["side"]) == ("VV", "PP", 0, -1)
    out, _ = command(*question, "--format", "csv")
    names, values = csv.reader(out.splitlines())
    assert dict(zip(names, values, strict=True))["node"] == "PP"
    assert len(names) == 9


def test_filters_reach_the_listing(folder):
    out, _ = command(folder / "m", "--source-word", "shu", "--target-word", "books", "--jump", 1,
                        "--sort", "alpha")  # fmt: skip
    assert all(line.split()[2:5] == ["1", "books", "shu"] for line in out.splitlines()[1:])
    assert len(out.splitlines()) > 1


@pytest.mark.parametrize("form", ["table", "json"])
def test_nothing_is_found(folder, form):
    facts = f"{folder / 'm'}: none of the model's … remove some of the options"
    options = "--coverage", 2, "--format", form
    command_line.refuses(facts, 1, "info", folder / "m", *options)


@pytest.mark.parametrize(
    "question",
    [["--learned", "sibling"], ["--learned", "coverage"], ["--node", "PP"], ["--coverage", 0]],
)
def test_data_without_trees(folder, question):
    facts = f"{folder / 'no_trees'}: … 2 training sentences … --source-tree … another family"
    command_line.refuses(facts, 1, "info", folder / "no_trees", *question)


def test_a_model_without_trees_has_other_features(folder):
    out, err = command(folder / "no_trees", "--learned", "lexical")
    assert len(out.splitlines()) > 1
    assert err.endswith("visits in 2 sentences, 0 with a tree\n")


@pytest.mark.parametrize(
    ("arguments", "code", "facts"),
    [
        (
            ["plain", "--learned", "all"],
            1,
            "plain: … no distortion model parse … --distortion",
        ),
        (["m", "--node", "XP"], 2, "the model has no node 'XP'"),
        (["m", "--jump", 7], 2, ""),
    ],
)
def test_messages(folder, arguments, code, facts):
    command_line.refuses(facts, code, "info", *arguments, cwd=folder)


def test_columns_without_content_are_left_out():
    rows = [FeatureRow(3, 1.234, None, "a", "b", "lexical"),
            FeatureRow(10, 0.5, -1, "", "b c", "lexical", near="d _")]  # fmt: skip
    assert feature_table(rows).splitlines() == [
        "count     α  jump  target  source  near",
        "    3  1.23        a       b",
        "   10  0.50    -1          b c     d _",
    ]
