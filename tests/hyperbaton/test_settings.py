from hyperbaton.corpus.corpora.reading import CorpusSettings
from hyperbaton.foundation.errors import SettingError
from hyperbaton.settings import Settings, load_settings
from hyperbaton.tuning.optimisers.mira import Mira
from hyperbaton.tuning.weights.sections import as_dict
from tests import command_line
from tests.child_processes import loaded_by
from tests.refusals import refusals, refused
from tests.test_advice import all_commands, command_of


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
    assert "hyperbaton.tuning.optimisers.mert" not in loaded_by("import hyperbaton.settings")


@refusals(
    ("corpus.max_lenght=3", "'corpus.max_lenght' … did you mean corpus.max_length"),
    ("zzz=3", "--set: … 'zzz' … known: classes.number, corpus.factored"),
    ("tune.restarts=3", "'tune.restarts' … did you mean mert.restarts?"),
    ("mira.stepp=3", "'mira.stepp' … did you mean mira.step?"),
    ("tune.optimisers=3", "'tune.optimisers'"),
    ("corpus.max_length", "'corpus.max_length' … section.key=value"),
    ("corpus.max_length=x", "corpus.max_length cannot be 'x' … a whole number"),
    ("corpus.skip_bad=2", "corpus.skip_bad cannot be '2' … true or false"),
    error=SettingError,
)
def test_wrong_assignments_are_refused(assignment):
    load_settings([assignment])


@refusals(
    ("[corpus]\nmax_length = 1.5\n", "c.toml: corpus.max_length cannot be 1.5"),
    ("[corpus]\nmax_length = true\n", "c.toml: corpus.max_length cannot be True"),
    ("[corpus]\nmaximum = 1\n", "c.toml: … 'corpus.maximum'"),
    ("max_length = 1\n", "c.toml: max_length … known sections: corpus"),
    ("[corpus\n", "c.toml: is not TOML: "),
    (b"\xff", "c.toml: is not TOML: "),
    error=SettingError,
)
def test_wrong_files_are_refused(write, text):
    load_settings(config=write("c.toml", text))


def test_a_missing_file_is_an_error(tmp_path):
    path = tmp_path / "none.toml"
    assert refused(f"{path}: no such file", lambda: load_settings(config=path)).exit_code == 1


@refusals(
    ("text.split=false", "--set: text.split has no effect here … search"),
    ("phrases.max_length=3", "phrases.max_length has no effect"),
    ("mira.step=1", "mira.step has no effect"),
    error=SettingError,
)
def test_settings_without_effect_were_ignored(assignment):
    load_settings([assignment], sections=["search"])


def test_settings_with_an_effect():
    assert load_settings(["search.beam=1"], sections=["search"]).search.beam == 1
    assert load_settings(["mira.step=1"], sections=["tune"]) != Settings()


def test_commands_that_take_settings_take_a_file_of_them(write):
    taking = [one for one in all_commands() if "assignments" in names_of(one)]
    assert len(taking) > 8
    assert all("config" in names_of(one) for one in taking)
    config = write("c.toml", "[text]\nsource_language = 'xx'\n[search]\nbeam = 1.0\n")
    text = write("t", "a\n")
    facts = "text.target_language is missing"
    command_line.refuses(facts, 2, "corpus", "--source", text, "--target", text, "--config", config)
    command_line.refuses("no such file", 1, "corpus", "--sample=ja-en", "--config=none.toml")


def names_of(command):
    return {parameter.name for parameter in command_of(command).params}
