"""Configurations of comparisons: read from TOML, with every mistake named."""

from pathlib import Path

import pytest

from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.models.system.folder import NO_LIMIT
from hyperbaton.tuning.comparison.configuration import check, limit_name, read_configuration
from hyperbaton.tuning.comparison.data import cut_out
from hyperbaton.tuning.comparison.requirements import check_models
from hyperbaton.tuning.evaluation.data_sets import load
from hyperbaton.tuning.optimisers.mira import Mira
from hyperbaton.tuning.report.results_folder import complete
from tests.refusals import refusals, refused

RESULTS = Path(__file__).parents[3] / "docs" / "results"
GOOD = """
title = "Two models"
baseline = "B"
limits = [6, "inf"]
metrics = ["BLEU", "ribes"]

[train]
source = "t.ja"
target = "t.en"
alignment = "t.align"

[dev]
source = "d.ja"
references = ["d.en"]

[[test]]
name = "news"
source = "d.ja"
references = ["d.en", "d.en"]
lines = "2-3"

[[system]]
name = "A"
distortion = ["linear"]

[[system]]
name = "B"
distortion = ["linear", "msd,type=wbe-msd-backward-fe"]

[tune]
replicas = 2
protocol = "goto"

[phrases]
max_length = 5
"""


@pytest.fixture
def config(write):
    write("d.ja", "a\nb\nc\n")
    write("d.en", "x\ny\nz\n")
    return lambda text=GOOD: check(read_configuration(write("c.toml", text)))


def test_everything_that_is_said_is_taken(config, tmp_path):
    made = config()
    assert made.limits == (6, NO_LIMIT)
    assert made.metrics == ("bleu", "ribes")
    assert made.train.source == tmp_path / "t.ja"
    assert made.test[0].references == (tmp_path / "d.en",) * 2
    assert made.system[1].distortion == ("linear", "msd,type=wbe-msd-backward-fe")
    assert (made.tune.replicas, made.tune.protocol, made.tune.method) == (2, "goto", "mira")
    assert made.phrases.max_length == 5
    assert made.baseline_name == "B"
    assert made.plain()["train"]["source"] == str(tmp_path / "t.ja")
    assert [limit_name(limit) for limit in made.limits] == ["6", "∞"]


def test_optimisers_have_tables_of_their_own(config):
    made = config(GOOD + "\n[mira]\nstep = 0.02\npasses = 7\n\n[mert]\nrestarts = 3\n")
    assert made.tune.optimiser == Mira(passes=7, step=0.02)
    assert made.plain()["tune"]["mira"] == {"passes": 7, "step": 0.02, "decay": 0.999}
    assert "mert" not in made.plain()["tune"]  # it has no part in the results


@pytest.mark.parametrize(
    ("said", "protocol"),
    [('protocol = "best"', "best"), ('protocol = "average"', "average"), ("", "best")],
)
def test_the_protocol_is_best_unless_it_is_named(config, said, protocol):
    assert config(GOOD.replace('protocol = "goto"', said)).tune.protocol == protocol


@refusals(
    ("title", "titel", "c.toml: unknown key 'titel' … known: … did you mean title?"),
    ('target = "t.en"', "", "train.target is missing"),
    ("replicas = 2", "replica = 2", "no setting 'tune.replica' … did you mean tune.replicas"),
    ("replicas = 2", 'replicas = "two"', "tune.replicas cannot be 'two' … expected a whole"),
    ("replicas = 2", "optimisers = 2", "no setting 'tune.optimisers'"),
    ("[tune]", "[mirra]\n[tune]", "unknown key 'mirra' … did you mean mira?"),
    ("[tune]", "[mira]\nstpe = 1.0\n[tune]", "'mira.stpe' … did you mean mira.step"),
    ("[tune]", '[mira]\nstep = "a"\n[tune]', "mira.step cannot be 'a' … expected a number"),
    ("[tune]", '["x:Y"]\n[tune]', "the tuning method 'x:Y' cannot be loaded"),
    ('[6, "inf"]', "[-3]", 'limits[0] cannot be -3 … expected a whole number, or "inf"'),
    ('[6, "inf"]', "6", "limits cannot be 6 … expected a list"),
    ('baseline = "B"', 'baseline = "C"', "the baseline 'C' is not a system"),
    ('name = "B"', 'name = "A"', "two [[system]]s are called 'A'"),
    ('["linear"]', "[]", "the system 'A' has no distortion model"),
    ('"2-3"', '"3-2"', "lines cannot be '3-2'"),
    ("[[test]]", "sorce = 1\n[[test]]", "key 'dev.sorce' … did you mean source?"),
    ('name = "news"', "name = 3", "test[0].name cannot be 3 … expected text"),
    ('"ribes"', '"ribs"', "'ribs'"),
    ("limits", "alpha = 5\nlimits", "alpha cannot be 5.0 … between 0 and 1"),
    ("limits", "lowercase = 5\nlimits", "lowercase cannot be 5 … expected true or false"),
    ("limits", "= limits", "is not TOML"),
    error=SettingError,
)
def test_mistakes_are_named(config, old, new):
    assert old in GOOD
    config(GOOD.replace(old, new, 1))


def test_lists_that_must_not_be_empty(config):
    without = GOOD.replace("[[test]]", "[[system]]").split("[[system]]")[0]
    refused("test is missing", lambda: config(without), SettingError)
    none = "test = []\nsystem = [{name='B', distortion=['linear']}]\n"
    refused("there is no [[test]]", lambda: config(none + without), SettingError)


def test_a_file_that_is_not_there(tmp_path):
    refused("no such file", lambda: read_configuration(tmp_path / "none.toml"))


def test_parts_of_files_are_cut_out(config, tmp_path):
    cut = cut_out(config(), tmp_path / "data")
    sentences = load(cut.test[0])
    assert [sentence.words for sentence in sentences.sources] == [("b",), ("c",)]
    assert sentences.references == (("y", "y"), ("z", "z"))
    assert load(cut.dev).references == (("x",), ("y",), ("z",))
    assert Path(cut.dev.source) == tmp_path / "d.ja"  # what is wanted whole is not copied


def test_files_that_are_too_short_or_do_not_fit(config, write, tmp_path):
    with pytest.raises(DataError, match=r"d\.ja: has 3 sentences\n  lines up to 9 are wanted"):
        cut_out(config(GOOD.replace("2-3", "2-9")), tmp_path / "data")
    write("d.en", "x\n")
    refused("d.en:2: the file ends here … d.ja has 3 lines", lambda: load(config().dev))
    write("d.ja", "")
    refused("has no sentence", lambda: load(config().dev))


def test_blocks_of_conllu_are_records(config, write, tmp_path):
    row = "1\t{}\t_\tN\t_\t_\t0\troot\t_\t_\n\n"
    write("d.conllu", "".join(row.format(word) for word in "abc"))
    text = GOOD.replace('lines = "2-3"', 'lines = "2-3"\nsource_tags = "d.conllu"')
    sentences = load(cut_out(config(text), tmp_path / "data").test[0])
    assert [sentence.tags for sentence in sentences.sources] == [("N",), ("N",)]


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_comparisons_behind_the_documents_can_be_run(path):
    configuration = complete(read_configuration(path))
    check_models(configuration)
    assert f"hyperbaton compare docs/results/{path.name}" in path.read_text(encoding="utf-8")
    documents = "".join(page.read_text(encoding="utf-8") for page in RESULTS.glob("*.md"))
    assert path.name in documents  # a table names it
