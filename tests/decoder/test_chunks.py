"""Sentences by chunks: sizes, order, and translators that are made again from their recipes."""

import pickle
from itertools import count, islice

import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.chunks import FAR, Pace, Search, _next_chunk, as_it_is, stream
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.work.workers import Threads
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.oracle import Oracle
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from tests.decoder.systems import HAND, make_system

PACE = Pace(first=2, most=50, seconds=1.0, ahead=2)


@pytest.mark.parametrize(
    ("last", "n_sentences", "seconds", "size"),
    [
        (8, 8, 0.4, 16),  # 20 would take a second, but it was one chunk only
        (32, 32, 2.0, 16),
        (32, 10, 0.5, 20),  # the last chunk of slow input may be small
        (40, 40, 0.1, 50),
        (8, 8, 100.0, 2),
        (2, 2, 0.0, 4),
    ],
)
def test_chunks_take_about_as_long_as_they_should(last, n_sentences, seconds, size):
    assert PACE.size(last, n_sentences, seconds) == size


def test_slow_input_is_not_waited_for(monkeypatch):
    clock = count(step=0.3)  # looked at once at first and after each sentence
    monkeypatch.setattr("hyperbaton.decoder.chunks.monotonic", lambda: next(clock))
    tasks = iter(range(20))
    assert _next_chunk(tasks, 3, 1.0) == [0, 1, 2]
    assert _next_chunk(tasks, 10, 1.0) == [3, 4, 5, 6]


class Slow(Threads):
    """Does nothing until results are asked for."""

    def __init__(self, n):
        super().__init__(n)
        self.sizes = []

    def submit(self, work, system, first, chunk, search):  # noqa: ARG002
        self.sizes.append(len(chunk))
        return Waiting(list(range(first, first + len(chunk))))


class Waiting:
    def __init__(self, made):
        self._made = made

    def done(self):
        return False

    def result(self):
        return self._made, len(self._made) / 100  # seconds: 100 sentences fit into one

    def cancel(self):
        pass


def test_chunks_grow_and_few_are_ahead():
    workers, read = Slow(3), []

    def tasks():
        for number in range(10_000):
            read.append(number)
            yield number, None

    results = stream(workers, None, tasks(), Search(as_it_is), FAR)
    assert list(islice(results, 1)) == [0]
    assert workers.sizes == [FAR.first] * 7  # two for each worker, and one too many
    assert list(results) == list(range(1, 10_000))
    assert workers.sizes[7:13] == [8, 16, 32, 64, 100, 100]
    assert len(read) == 10_000


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """A system that takes raw text."""
    folder = tmp_path_factory.mktemp("raw")
    for name, text in (
        ("s", "Hon o katta .\nkare wa hon o yonda .\n"),
        ("t", "Bought a book .\nHe read a book .\n"),
        ("a", "0-2 2-0 3-3\n0-0 2-3 4-1 5-4\n"),
    ):
        (folder / name).write_text(text)
    text = TextSettings("xx", "en", "none", "none", "lower", "true")
    files = CorpusFiles(folder / "s", folder / "t", folder / "a")
    train_system(files, folder / "m", TrainingSettings(text=text))
    (folder / "m" / "tuning").mkdir()  # no part of it
    return folder / "m"


CHANGES = {
    "as it is": lambda own: own,
    "weights": lambda own: own.with_weights({"linear": 0.0, "lm": 2}),
    "settings": lambda own: own.with_settings(distortion_limit=0, lattice=True),
    "tokens": lambda own: own.for_tokens(),
    "order": lambda own: own.with_model(Oracle(price=7.0)),
    "all": lambda own: own.with_model(Oracle()).for_tokens().with_weights({}, options=2),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("distortion", [(), ("linear",)])
def test_a_recipe_makes_the_same_translator(raw, name, distortion):
    own = CHANGES[name](Translator.load(raw, distortion=distortion))
    recipe = pickle.loads(pickle.dumps(own.recipe))
    made = recipe.translator(Workplace())
    assert made is recipe.translator(Workplace())  # it is kept
    assert made.weights == own.weights
    assert made.settings == own.settings
    assert [m.name for m in made.distortion] == [m.name for m in own.distortion]
    assert [m.settings() for m in made.distortion] == [m.settings() for m in own.distortion]
    assert (made.preparation.text is None) == (own.preparation.text is None)
    sentence = Sentence(("kare", "wa", "hon", "o", "katta", "."), order=(0, -1, 2, -1, 1, 3))
    assert made.translate(sentence, 5) == own.translate(sentence, 5)


def test_a_recipe_names_the_files_of_the_system_and_no_others(raw):
    files = Translator.load(raw).recipe.origin.files
    assert files[0] == "model.toml"
    parts = {path.relative_to(raw).as_posix() for path in (raw / "parts").iterdir()}
    assert set(files[1:]) == {part for part in parts if not part.endswith(".lock")}


def test_what_cannot_be_made_again_has_no_recipe(raw):
    table, lm = make_system(HAND)
    loaded = Translator.load(raw)
    assert loaded.with_distortion(loaded.distortion).origin is None
    own = type("Own", (Linear,), {"name": "own"})  # no model of ours
    assert loaded.with_model(own()).with_settings(options=3).origin is None
    memory = Translator(table, lm, [Linear()], loaded.weights)
    with pytest.raises(SettingError, match=r"on other machines\n  load it with Translator\.load"):
        memory.recipe  # noqa: B018
