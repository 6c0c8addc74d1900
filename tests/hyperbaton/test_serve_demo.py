"""The systems of `serve --demo`: whoever opens the page for the first time reads good English."""

import pytest

from hyperbaton.commands.serve import train_sample
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.system.folder import read_system, write_weights
from hyperbaton.samples import sample_demo

TRANSLATIONS = {
    "ja-en": [
        "the teacher mailed a letter to a friend .",
        "the dog was on the desk .",
        "because it rained , he returned to the house .",
        "he saw a car that was bought by her .",
        "please read a book in the library .",
    ],
    "zh-en": [
        "yesterday , he watched a movie at the school .",
        "there is a cat under the tree .",
        "he is taller than me .",
        "he came to shanghai by subway .",
        "who do you feel he called ?",
    ],
}


@pytest.mark.usefixtures("shared_stages")
@pytest.mark.parametrize("name", TRANSLATIONS)
def test_examples_are_translated_well(name, tmp_path):
    """By the system that the demo trains, not by the one that was tuned."""
    translator = Translator.load(train_sample(name, tmp_path / name, threads=2))
    demo = sample_demo(name)
    assert {feature: translator.weights[feature] for feature in demo["weights"]} == demo["weights"]
    assert set(demo["weights"]) == set(translator.feature_names)
    texts = [example["text"] for example in demo["examples"]]
    assert [translator.translate(text).text for text in texts] == TRANSLATIONS[name]


@pytest.mark.usefixtures("shared_stages")
def test_weights_that_were_tuned_are_kept(tmp_path):
    folder = train_sample("ja-en", tmp_path / "ja-en", threads=2)
    tuned = dict.fromkeys(sample_demo("ja-en")["weights"], 0.5)
    write_weights(folder, tuned, 3, {})
    train_sample("ja-en", folder, threads=2)
    content = read_system(folder)
    assert {name: content["weights"][name] for name in tuned} == tuned
    assert content["search"]["distortion_limit"] == 3
