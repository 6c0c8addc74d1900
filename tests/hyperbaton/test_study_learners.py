"""`hyperbaton study learners`: its tables, files and messages."""

import csv
import json
import re

import pytest

from hyperbaton.commands.learners import learners
from hyperbaton.models.distortion.dpr.fitting import MIN_EXAMPLES
from hyperbaton.samples import sample_files
from tests import command_line

SMALL = [
    "--sample", "zh-en", "--sizes", "30,60", "--repeats", "2", "--test-size", "20",
    "--learners", "lr,mms:learning_rate=0.05:max_rounds=4,mlr-dual", "--threads", "1",
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("shared_samples")


def run(*arguments, **options):
    return command_line.outcome("study", "learners", *arguments, **options)


def test_tables_files_and_pictures(tmp_path):
    files = ["--out", tmp_path / "runs.csv", "--out", tmp_path / "runs.json"]
    out, err = run(*SMALL, *files, "--plot", tmp_path / "figures")
    lines = out.splitlines()
    assert lines[0] == "Classes of moves (Ni et al. 2011, section 4.1)"
    assert lines[1].startswith("2 repetitions, each with 20 test sentences ")
    for n_classes, table in ((3, "Table 5"), (5, "Table 6")):
        chosen = "mms:learning_rate=0.05:max_rounds=4"
        for title in (
            f"overall precision, and F1 as in {table}",
            f"differences from {chosen}, paired t-test over 2 repetitions (means of all sizes)",
            "overall precision by size, as in Figure 10",
            "training time, each with its stopping rule",
            "training time to the same training error, as in Figure 15",
            "active examples (Alrajeh and Niranjan 2014, Figure 1)",
        ):
            assert f"{n_classes} classes: {title}" in lines
        title = "60 training sentences: precision by distance, as in Figure 11"
        assert f"{n_classes} classes, {title}" in lines
    assert f"gain of {chosen} over lr on moves, as in Figure 12" in lines
    assert "source phrases by their training examples, as in Figure 8" in lines
    assert "time to the same training error, 60 training sentences, as in Figure 15" in lines
    found = [line.partition(": ")[0] for line in lines if " — " in line]
    assert found == [f"Ni et al. 2011, Figure {number}" for number in (10, 12, 15)]

    with (tmp_path / "runs.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    record = json.loads((tmp_path / "runs.json").read_text(encoding="utf-8"))
    assert len(record["runs"]) == 3 * 2 * 2 * 2
    assert record["settings"]["sizes"] == [30, 60]
    timed = record["training_time_to_the_same_tolerance"]
    assert {(one["learner"].partition(":")[0], one["n_classes"]) for one in timed} == {
        (name, n) for name in ("mms", "mlr-dual") for n in (3, 5)
    }  # without lr
    for one in timed:
        (dual,) = [
            r["training_error"]
            for r in record["runs"]
            if (r["learner"], r["sentences"], r["repeat"]) == ("mlr-dual", 60, 0)
            and len(r["classes"]) == one["n_classes"]
        ]
        assert one["goal"] in (0.4, 0.3, 0.2) or one["goal"] == pytest.approx(dual + 0.01)
        shown = "–" if one["seconds"] is None else f"{one['seconds']:.2f} ({one['n_rounds']})"
        assert re.search(rf"^{re.escape(one['learner'])} .*{re.escape(shown)}", out, re.MULTILINE)
    for one in record["runs"]:
        confusion = one["confusion"]
        right = sum(confusion[k][k] for k in range(len(confusion)))
        total = sum(map(sum, confusion))
        assert one["precision"] == pytest.approx(right / total)
        assert sum(each["examples"] for each in one["by_distance"]) == total
        assert (one["active"] is not None) == (one["learner"] == "mlr-dual")
        (overall,) = [
            float(row["value"])
            for row in rows
            if (row["learner"], int(row["sentences"]), int(row["repeat"]), row["measure"])
            == (one["learner"], one["sentences"], one["repeat"], "overall")
            and int(row["classes"]) == len(one["classes"])
        ]
        assert overall == pytest.approx(one["precision"], rel=1e-4)

    # the mean of the table is that of the runs
    line = re.search(r"^overall, 30 +(\S+) ±", out, re.MULTILINE)
    runs = [r for r in record["runs"] if (r["learner"], r["sentences"]) == ("lr", 30)]
    three = [100 * r["precision"] for r in runs if len(r["classes"]) == 3]
    assert float(line[1]) == pytest.approx(sum(three) / 2, abs=0.051)

    names = [
        "active", "clusters", "distance", "improvement", "own_time", "phrase_sizes", "precision",
        "time",
    ]  # fmt: skip
    pictures = sorted((tmp_path / "figures").iterdir())
    assert [path.name for path in pictures] == [f"{name}.png" for name in names]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)
    assert all(f"drawn: {path}" in err for path in pictures)


def test_one_learner_one_run_one_model_for_all(tmp_path):
    files = sample_files("ja-en", "dev")
    out, _ = run(
        "--source", files.source, "--target", files.target, "--alignment", files.alignment,
        "--learners", "lr", "--repeats", 1, "--classes", 3, "--pooled", "--feature-set", "alrajeh",
        "--sizes", 100, "--test-size", 30, "--plot", tmp_path / "p", "--out", tmp_path / "j.json",
    )  # fmt: skip
    assert "one model for all source phrases" in out
    assert "1 repetition, each with 30 test sentences" in out
    assert json.loads((tmp_path / "j.json").read_text())["settings"]["min_examples"] is None
    assert "need more than one repetition" in out
    assert "t-test" not in out
    assert "±" not in out
    assert "active" not in out
    assert "same training error" not in out
    names = sorted(path.name for path in (tmp_path / "p").iterdir())
    assert names == ["distance.png", "phrase_sizes.png", "precision.png"]


def test_a_folder_for_pictures_that_cannot_be_made(write):
    place = write("file", "x")
    _, err = run(*SMALL, "--repeats", 1, "--classes", 3, "--plot", place, code=1)
    assert f"{place}: is not a folder" in err


def test_the_command_has_the_models_own_default():
    [option] = [each for each in learners.params if each.name == "min_examples"]
    assert option.default == MIN_EXAMPLES
