"""Servers of a small system, of one with tags and heat maps, and of one that takes raw text."""

import pytest

from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.system.settings import HIERARCHICAL, TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.serving.answer_types import Example
from hyperbaton.serving.systems import ServedSystem
from tests.hyperbaton.serving.running import running
from tests.tiny_systems import TWO_PAIRS, write_corpus


@pytest.fixture(scope="session")
def other_systems(tmp_path_factory):
    """A system with tags and heat maps, one that takes raw text, and one with rules."""
    folder = tmp_path_factory.mktemp("serving")
    files = write_corpus(folder, times=1, **TWO_PAIRS, source_tags="N P V\nPRO P N P V\n")
    models = "linear", "msd", "pair,prior=16.0,passes=3,min_count=1"
    train_system(files, folder / "tagged", TrainingSettings(distortion=models))
    text = TextSettings("xx", "en", "none", "none", "lower", "true")
    train_system(files, folder / "raw", TrainingSettings(text=text))
    train_system(files, folder / "rules", TrainingSettings(grammar=HIERARCHICAL))
    return folder / "tagged", folder / "raw", folder / "rules"


@pytest.fixture(scope="module")
def server(model, other_systems):
    tagged, raw, rules = other_systems
    examples = [Example(text="hon o katta", caption="the verb comes last")]
    with running(
        ServedSystem("small", Translator.load(model), examples),
        ServedSystem("tagged", Translator.load(tagged)),
        ServedSystem("raw", Translator.load(raw)),
        ServedSystem("rules", Translator.load(rules)),
    ) as made:
        yield made
