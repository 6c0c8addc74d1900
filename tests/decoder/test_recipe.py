"""Translators that are made again from their recipes, in other processes or on other machines."""

import pickle

import pytest

from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.recipe import Origin
from hyperbaton.decoder.stream import Search, search_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.work.workers import Threads
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from tests.decoder.systems import HAND, make_system
from tests.tiny_systems import write_corpus


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """A system that takes raw text."""
    folder = tmp_path_factory.mktemp("raw")
    files = write_corpus(
        folder,
        times=1,
        source="Hon o katta .\nkare wa hon o yonda .\n",
        target="Bought a book .\nHe read a book .\n",
        alignment="0-2 2-0 3-3\n0-0 2-3 4-1 5-4\n",
    )
    text = TextSettings("xx", "en", "none", "none", "lower", "true")
    train_system(files, folder / "m", TrainingSettings(text=text))
    (folder / "m" / "tuning").mkdir()  # no part of it
    return folder / "m"


CHANGES = {
    "as it is": lambda own: own,
    "weights": lambda own: own.with_weights({"linear": 0.0, "lm": 2}),
    "settings": lambda own: own.with_settings(distortion_limit=0, lattice=True),
    "tokens": lambda own: own.for_tokens(),
    "all": lambda own: own.for_tokens().with_weights({"lm": 0.3}, options=2),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("distortion", [(), ("linear",), ("oracle,price=7", "linear")])
@pytest.mark.parametrize("oracle", [False, True])
def test_a_recipe_makes_the_same_translator(raw, name, distortion, oracle):
    origin = Origin(raw, distortion, oracle=oracle)
    own = CHANGES[name](origin.load())
    recipe = pickle.loads(pickle.dumps(origin.recipe(own)))
    made = recipe.translator(Workplace())
    assert made is recipe.translator(Workplace())  # it is kept
    assert made.weights == own.weights
    assert made.settings == own.settings
    assert [m.name for m in made.distortion] == [m.name for m in own.distortion]
    assert [m.settings() for m in made.distortion] == [m.settings() for m in own.distortion]
    assert (made.preparation.text is None) == (own.preparation.text is None)
    sentence = Sentence(("kare", "wa", "hon", "o", "katta", "."), order=(0, -1, 2, -1, 1, 3))
    assert made.n_best(sentence, 5) == own.n_best(sentence, 5)


def test_a_recipe_names_the_files_of_the_system_and_no_others(raw):
    origin = Origin(raw)
    files = origin.recipe(origin.load()).files
    assert files[0] == "model.toml"
    parts = {path.relative_to(raw).as_posix() for path in (raw / "parts").iterdir()}
    assert set(files[1:]) == {part for part in parts if not part.endswith(".lock")}


@pytest.mark.parametrize("distortion", [("linear",), ("oracle,price=7", "linear")])
def test_an_oracle_is_added_to_a_system_that_has_none(raw, distortion):
    told = Origin(raw, distortion, oracle=True).load()
    assert [model.name for model in told.distortion].count("oracle") == 1
    assert "oracle" in told.weights


def test_a_translator_that_is_in_no_folder_stays_here(raw):
    table, lm = make_system(HAND)
    memory = Translator(table, lm, [Linear()], Origin(raw).load().weights)
    far = type("Far", (Threads,), {"is_far": True})
    with far(1) as workers, pytest.raises(SettingError, match="loaded from a folder"):
        next(search_all(memory, [], Search(print), workers))
