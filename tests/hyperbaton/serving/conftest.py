"""Servers of a small system, of one with tags and heat maps, and of one that takes raw text."""

import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.serving.answer_types import Example
from hyperbaton.serving.systems import ServedSystem
from tests.hyperbaton.serving.running import running

FILES = {
    "source": "hon o katta\nkare wa hon o yonda\n",
    "target": "bought a book\nhe read a book\n",
    "alignment": "0-2 2-0\n0-0 2-3 4-1\n",
    "source_tags": "N P V\nPRO P N P V\n",
}


@pytest.fixture(scope="session")
def other_systems(tmp_path_factory):
    """A system with tags and heat maps, and one that takes raw text."""
    folder = tmp_path_factory.mktemp("serving")
    paths = {name: folder / name for name in FILES}
    for name, text in FILES.items():
        paths[name].write_text(text)
    models = "linear", "msd", "pair,prior=16.0,passes=3,min_count=1"
    train_system(CorpusFiles(**paths), folder / "tagged", TrainingSettings(distortion=models))
    text = TextSettings("xx", "en", "none", "none", "lower", "true")
    train_system(CorpusFiles(**paths), folder / "raw", TrainingSettings(text=text))
    return folder / "tagged", folder / "raw"


@pytest.fixture(scope="module")
def server(model, other_systems):
    tagged, raw = other_systems
    examples = [Example(source="hon o katta", reference="bought a book")]
    with running(
        ServedSystem("small", Translator.load(model), examples),
        ServedSystem("tagged", Translator.load(tagged)),
        ServedSystem("raw", Translator.load(raw)),
    ) as made:
        yield made
