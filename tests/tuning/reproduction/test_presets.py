"""Presets: what they fill in, and what of the user's choices they leave alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.catalogue import parse_model
from hyperbaton.models.system.folder import NO_LIMIT
from hyperbaton.samples import sample_configuration
from hyperbaton.tuning.comparison.configuration import (
    ComparedSystem,
    Configuration,
    TrainingData,
    check,
    read_configuration,
)
from hyperbaton.tuning.comparison.requirements import check_models, exact_models
from hyperbaton.tuning.evaluation.data_sets import DataSet
from hyperbaton.tuning.report.results_folder import complete
from hyperbaton.tuning.reproduction.presets import PRESETS, apply_preset, find_preset
from hyperbaton.tuning.weights.settings import COMPARE_SETTINGS
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
DEV = DataSet(Path("d"), (Path("e"),))
PLAIN = Configuration(TrainingData(Path("a"), Path("b"), Path("c")), DEV, (replace(DEV, name="t"),))
TREES = replace(PLAIN, train=replace(PLAIN.train, source_tree=Path("t")))


def names(configuration):
    return [system.name for system in configuration.system]


def test_the_table_of_goto():
    made = check(apply_preset(PLAIN, "goto"))
    assert names(made) == ["LINEAR", "LINEAR+LEX", "9-CLASS", "PAIR", "SEQUENCE", "HIER"]
    assert [s.name for s in made.system if s.is_chart] == ["HIER"]
    assert made.limits == (10, 20, 30, NO_LIMIT)
    assert made.baseline_name == "LINEAR+LEX"
    assert made.tune.protocol == "goto"
    assert made.text_options.lowercase  # "case-insensitive" (section 4.2)
    assert made.significant == 0.01  # below Table 3
    assert made.preset == "goto"


def test_systems_with_parse_features_need_trees():
    assert "PARSE" in names(apply_preset(TREES, "all"))
    assert "PARSE" not in names(apply_preset(PLAIN, "all"))
    assert len(names(apply_preset(TREES, "xiang"))) == 9
    with pytest.raises(SettingError, match=r"'xiang' needs trees .*\n  source_tree in \[train\]"):
        apply_preset(PLAIN, "xiang")


def test_what_the_user_says_wins():
    own = (ComparedSystem("MINE", ("linear",)), ComparedSystem("LEX", ("msd",)))
    said = replace(
        PLAIN,
        limits=(4,),
        title="My title",
        baseline="MINE",
        lowercase=False,
        alpha=0.1,
        system=own,
        tune=replace(COMPARE_SETTINGS, protocol="best"),
    )
    made = check(apply_preset(said, "goto"))
    assert (made.limits, made.title, made.baseline, made.system) == ((4,), "My title", "MINE", own)
    assert made.tune.protocol == "best"
    assert not made.text_options.lowercase
    assert made.significant == 0.1


@pytest.mark.parametrize(
    ("preset", "method"),
    [("goto", "mert"), ("ni", "mert"), ("alrajeh", "mert"), ("xiang", "mira"), ("all", "mira")],
)
def test_the_papers_tuner_is_used_unless_another_is_named(preset, method):
    # Goto et al. (section 4.1), Ni et al. (4.2) and Alrajeh and Niranjan (4.2) name MERT
    assert complete(TREES, preset).tune.method == method
    assert complete(TREES, preset, method="pro").tune.method == "pro"
    said = replace(TREES, tune=replace(COMPARE_SETTINGS, method="mert-lattice"))
    assert complete(said, preset).tune.method == "mert-lattice"
    assert complete(TREES, preset, replicas=5).tune.replicas == 5


def test_systems_of_the_user_keep_their_own_baseline():
    own = replace(
        PLAIN, system=(ComparedSystem("MINE", ("linear",)), ComparedSystem("LEX", ("msd",)))
    )
    assert check(apply_preset(own, "goto")).baseline_name == "MINE"


def test_an_unknown_preset():
    refused("'gotoo' … did you mean goto?", lambda: apply_preset(PLAIN, "gotoo"), SettingError)


@pytest.mark.parametrize("name", PRESETS)
def test_the_models_of_every_preset_exist_and_are_distinct(name):
    made = check(apply_preset(sample_configuration("ja-en"), name))
    check_models(made)
    assert len({exact_models(made, system) for system in made.system}) == len(made.system)


def test_dpr_has_one_weight_in_the_preset_of_ni():
    """Section 4.2: seven parameters need tuning for MOSES, one for DPR."""
    weights = {
        system.name: [
            name for model in system.distortion for name in parse_model(model).feature_names
        ]
        for system in find_preset("ni").system
    }
    assert len(weights.pop("MOSES")) == 7
    assert {name: len(own) for name, own in weights.items()} == dict.fromkeys(weights, 1)
    assert weights["DPR-3"] == ["dpr3.scaled"]  # eq. 7
    assert weights["DPR-5"] == ["dpr5.logp"]


def test_the_rows_of_xiang_have_the_papers_prior_and_two_more_have_ours():
    models = {s.name: parse_model(s.distortion[-1]) for s in find_preset("xiang").system[1:]}
    alphas = {name: (model.alpha, model.alpha_half) for name, model in models.items()}
    assert alphas.pop("ME+DISCOUNTED PRIOR") == (0.9, 80)
    assert alphas.pop("ME+DISCOUNTED PRIOR+COV+SIB") == (0.9, 80)
    # Tables 2 to 4; "the smoothing parameter α is set to 0.9" (section 7.1), for all pairs (eq. 6)
    rows = ["ME", "ME+PRIOR", "ME+COV", "ME+SIB", "ME+COV+SIB", "ME+PRIOR+COV+SIB"]
    assert alphas == dict.fromkeys(rows, (0.9, 0))


def test_the_papers_rows_of_ni_have_a_sub_model_for_every_phrase_and_others_say_so():
    for system in find_preset("ni").system[1:]:
        settings = parse_model(system.distortion[0]).settings()
        is_ours = "POOLED" in system.name
        assert settings["min_examples"] == (300 if is_ours else 0)
        if system.name.startswith("DPR"):
            assert settings["learner"] == ("mms" if is_ours else "mms:average=false")


@pytest.mark.parametrize("name", ["ja-en", "zh-en"])
def test_the_comparisons_of_the_guide_have_the_systems_of_the_preset(name):
    made = check(read_configuration(ROOT / f"docs/results/dpr-{name}.toml"))
    check_models(made)
    preset, own = (
        {(system.name, exact_models(made, system)) for system in systems}
        for systems in (find_preset("ni").system, made.system)
    )
    assert preset < own
    sample = sample_configuration(name)
    assert made.train.source.resolve() == sample.train.source.resolve()
    assert made.train.alignment.resolve() == sample.train.alignment.resolve()
    assert [path.resolve() for path in made.dev.references] == [
        path.resolve() for path in sample.dev.references
    ]
    assert [path.resolve() for path in made.test[0].references] == [
        path.resolve() for path in sample.test[0].references
    ]


def test_the_preset_of_alrajeh_has_its_own_problem():
    lexical, primal, dual = find_preset("alrajeh").system
    n_weights = [
        sum(len(parse_model(model).feature_names) for model in system.distortion)
        for system in (lexical, primal, dual)
    ]
    assert n_weights == [7, 7, 7]  # the models differ, and nothing else
    for system, learner in ((primal, "mlr-primal"), (dual, "mlr-dual")):
        settings = parse_model(system.distortion[-1]).settings()
        assert settings["learner"] == learner
        assert (settings["moves"], settings["features"], settings["use"]) == (
            "msd", "alrajeh", "bidirectional"
        )  # fmt: skip
        assert settings["max_sentences"] == 0  # all, as the lexicalised model
        assert settings["min_count"] == 11  # more than ten times
        assert settings["min_examples"] > 10**8  # one model for all
