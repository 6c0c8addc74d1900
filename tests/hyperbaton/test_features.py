"""`hyperbaton features`: tables, other formats, and every message."""

import json

import pytest

from hyperbaton import main as frame
from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.models.distortion.parse.listing import FeatureRow
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.views.system_text import feature_table

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


@pytest.fixture
def command(capsys):
    """Runs the command in this process: exit code, standard output, standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            frame.main(["features", *map(str, arguments)])
        printed = capsys.readouterr()
        return stop.value.code, printed.out, printed.err

    return run


def test_a_table(folder, command):
    code, out, err = command(folder / "m", "--show", "sibling", "--tag", "VV", "--node", "PP")
    assert code == 0
    heading, row = out.splitlines()
    assert heading.split() == ["count", "α", "jump", "target", "source", "node", "coverage", "side"]
    count, alpha, *rest = row.split()
    assert (count, rest) == ("2", ["3", "VBD", "VV", "PP", "0", "-1"])
    assert float(alpha) > 1
    assert err.startswith("1 of ")
    assert "features; learned from 10 visits in 2 sentences, 2 with a tree" in err


def test_other_formats(folder, command):
    question = folder / "m", "--show", "sibling", "--tag", "VV", "--side", "left", "--limit", 1
    _, out, _ = command(*question, "--format", "json")
    row = json.loads(out)
    assert (row["source"], row["node"], row["coverage"], row["side"]) == ("VV", "PP", 0, -1)
    _, out, _ = command(*question, "--format", "tsv")
    names, values = (line.split("\t") for line in out.splitlines())
    assert dict(zip(names, values, strict=True))["node"] == "PP"
    assert len(names) == 9


def test_filters_reach_the_listing(folder, command):
    _, out, _ = command(folder / "m", "--word", "shu", "--target", "books", "--jump", 1,
                        "--sort", "alpha")  # fmt: skip
    assert all(line.split()[2:5] == ["1", "books", "shu"] for line in out.splitlines()[1:])
    assert len(out.splitlines()) > 1


@pytest.mark.parametrize("form", ["table", "json"])
def test_nothing_is_found(folder, command, form):
    code, out, err = command(folder / "m", "--coverage", 2, "--format", form)
    assert (code, out) == (1, "")
    assert err.startswith(f"hyperbaton: {folder / 'm'}: none of the model's ")
    assert err.endswith(" features is like that\n  leave out some of the options\n")


@pytest.mark.parametrize(
    "question", [["--show", "sibling"], ["--show", "coverage"], ["--node", "PP"], ["--coverage", 0]]
)
def test_data_without_trees(folder, command, question):
    code, out, err = command(folder / "no_trees", *question)
    assert (code, out) == (1, "")
    assert err == (
        f"hyperbaton: {folder / 'no_trees'}: the model has no features of parse trees\n"
        "  none of its 2 training sentences had a tree\n"
        "  train it with --source-tree FILE, or ask for another family with --show\n"
    )


def test_a_model_without_trees_has_other_features(folder, command):
    code, out, err = command(folder / "no_trees", "--show", "lexical")
    assert code == 0
    assert len(out.splitlines()) > 1
    assert err.endswith("visits in 2 sentences, 0 with a tree\n")


def test_messages(folder, command):
    code, _, err = command(folder / "plain")
    assert code == 1
    assert f"{folder / 'plain'}: the system has no distortion model parse" in err
    assert "train the system again, with --distortion parse beside its other models" in err
    code, _, err = command(folder / "m", "--node", "XP")
    assert code == 2
    assert "the model has no node 'XP'" in err
    code, _, err = command(folder / "m", "--jump", 7)
    assert code == 2


def test_columns_without_content_are_left_out():
    rows = [FeatureRow(3, 1.234, None, "a", "b", "lexical"),
            FeatureRow(10, 0.5, -1, "", "b c", "lexical", near="d _")]  # fmt: skip
    assert feature_table(rows).splitlines() == [
        "count     α  jump  target  source  near",
        "    3  1.23        a       b",
        "   10  0.50    -1          b c     d _",
    ]
