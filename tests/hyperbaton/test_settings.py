import subprocess
import sys

import pytest

from hyperbaton.corpus.corpora.reading import CorpusSettings
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.settings import Settings, load_settings
from hyperbaton.tuning.optimisers.mira import Mira
from hyperbaton.tuning.weights.sections import as_dict


def test_defaults():
    assert load_settings() == Settings(CorpusSettings())
    assert as_dict(Settings())["corpus"] == {
        "skip_bad": False, "max_length": 0, "factored": False
    }  # fmt: skip


def test_assignments_override_the_file(write):
    config = write("c.toml", "[corpus]\nmax_length = 40\nfactored = true\n")
    settings = load_settings(["corpus.max_length = 50", "corpus.skip_bad=yes"], config)
    assert settings.corpus == CorpusSettings(skip_bad=True, max_length=50, factored=True)


def test_optimisers_have_sections(write):
    config = write("c.toml", "[mira]\nstep = 0.5\npasses = 3\n[tune]\nmethod = 'mira'\n")
    settings = load_settings(["mira.step=0.02", "mert.restarts=7"], config)
    assert settings.tune.optimiser == Mira(passes=3, step=0.02)
    assert as_dict(settings)["mert"] == {"restarts": 7, "directions": 10}
    assert "optimisers" not in as_dict(settings)["tune"]
    own = load_settings(["hyperbaton.tuning.optimisers.mira:Mira.step=0.3"]).tune.optimisers
    assert own == {"hyperbaton.tuning.optimisers.mira:Mira": Mira(step=0.3)}


def test_tuning_is_not_loaded_with_the_settings():
    name = "hyperbaton.tuning.optimisers.mert"
    code = f"import sys, hyperbaton.settings; sys.exit('{name}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("corpus.max_lenght=3", "there is no setting 'corpus.max_lenght'\n  did you mean corpus.m"),
        ("zzz=3", "--set: there is no setting 'zzz'\n  known: classes.number, corpus.factored"),
        ("tune.restarts=3", "no setting 'tune.restarts'\n  did you mean mert.restarts?"),
        ("mira.stepp=3", "no setting 'mira.stepp'\n  did you mean mira.step?"),
        ("tune.optimisers=3", "there is no setting 'tune.optimisers'"),
        ("corpus.max_length", "'corpus.max_length' gives no value\n  section.key=value"),
        ("corpus.max_length=x", "corpus.max_length cannot be 'x'\n  expected a whole number"),
        ("corpus.skip_bad=2", "corpus.skip_bad cannot be '2'\n  expected true or false"),
    ],
)
def test_wrong_assignments_are_refused(assignment, message):
    with pytest.raises(SettingError) as error:
        load_settings([assignment])
    assert message in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[corpus]\nmax_length = 1.5\n", "corpus.max_length cannot be 1.5"),
        ("[corpus]\nmax_length = true\n", "corpus.max_length cannot be True"),
        ("[corpus]\nmaximum = 1\n", "there is no setting 'corpus.maximum'"),
        ("max_length = 1\n", "max_length stands outside a section\n  known sections: corpus"),
        ("[corpus\n", "is not TOML: "),
        (b"\xff", "is not TOML: "),
    ],
)
def test_wrong_files_are_refused(write, text, message):
    with pytest.raises(SettingError) as error:
        load_settings(config=write("c.toml", text))
    assert message in str(error.value)
    assert "c.toml" in error.value.where


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load_settings(config=tmp_path / "none.toml")


@pytest.mark.parametrize("name", ["text.split=false", "phrases.max_length=3", "mira.step=1"])
def test_settings_without_effect_were_ignored(name):
    with pytest.raises(SettingError, match=f"{name.partition('=')[0]} has no effect here"):
        load_settings([name], sections=["search"])
    assert load_settings(["search.beam=1"], sections=["search"]).search.beam == 1
    assert load_settings(["mira.step=1"], sections=["tune"]) != Settings()
