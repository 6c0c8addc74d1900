"""Systems in memory."""

import pytest

from hyperbaton.decoder import options, search
from hyperbaton.decoder.decode import Stopped
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.gaps import Gaps
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.system.folder import default_weights, write_weights
from hyperbaton.models.system.training import train_system
from tests.child_processes import loaded_by
from tests.decoder.systems import HAND, hand_translator, make_system
from tests.refusals import refused
from tests.tiny_systems import ALIGNMENT, SOURCE, TARGET, write_corpus


def test_weights_without_a_decimal_point_compiled_the_kernels_again():
    table, lm = make_system(HAND)
    weights = dict.fromkeys(default_weights(""), 1)  # as in TOML's `lm = 1`

    def kernels():
        return [len(one.signatures) for one in (search._search_to_question, options._look_up)]

    made = {name: float(weight) for name, weight in weights.items()}
    expected = Translator(table, lm, [Linear()], made).translate("kare wa hon o katta")
    before = kernels()
    translator = Translator(table, lm, [Linear()], weights)
    assert translator.translate("kare wa hon o katta") == expected
    assert translator.with_weights({"lm": 2}).translate("hon") is not None
    assert kernels() == before


def test_a_search_that_nobody_wants_stops():
    translator, sentence = hand_translator(), "kare wa hon o katta"
    wide = translator.with_settings(pop_limit=search.PAUSE)  # it looks up after every stack
    asked = []

    def is_stopped():
        asked.append(True)
        return len(asked) == 3

    with pytest.raises(Stopped):
        wide.decode(sentence, is_stopped=is_stopped)
    assert len(asked) == 3
    assert wide.translate(sentence) == translator.translate(sentence)  # the next one does not


def test_models_can_be_switched_off():
    both = hand_translator(linear=-2.0)
    neither = both.with_distortion([])
    assert neither.feature_names == both.feature_names[:-1]
    sentence = "kare wa hon o katta"
    assert neither.translate(sentence).score == pytest.approx(
        both.with_weights({"linear": 0}).translate(sentence).score
    )
    again = neither.with_distortion(both.distortion)
    assert again.translate(sentence) == both.translate(sentence)


def test_a_system_with_other_models_keeps_its_weights_and_new_features_get_initial_ones(tmp_path):
    files = write_corpus(tmp_path, source=SOURCE, target=TARGET, alignment=ALIGNMENT)
    train_system(files, tmp_path / "model")
    write_weights(tmp_path / "model", {"lm": 0.77, "linear": 0.11}, 6, {})
    loaded = Translator.load(tmp_path / "model", None, ["linear", "gaps"])
    assert (loaded.weights["lm"], loaded.weights["linear"]) == (0.77, 0.11)
    assert loaded.weights["gaps"] == Gaps().initial_weights[0] != 0


def test_raw_text_training_and_pictures_are_imported_by_those_who_use_them():
    names = "hyperbaton.decoder.translator", "hyperbaton.settings"
    loaded = loaded_by(f"import {', '.join(names)}, hyperbaton.models.distortion.msd.model")
    others = {"hyperbaton.corpus.raw_text.pipeline", "hyperbaton.models.phrases.collecting"}
    others |= {"hyperbaton.decoder.drawing.derivation_layout"}
    assert not (others | {"matplotlib", "sacrebleu", "sklearn"}) & loaded


@pytest.mark.parametrize("weight", [1e308, -2e6, float("inf"), float("nan")])
def test_a_weight_that_could_overflow_is_refused(weight):
    translator = hand_translator()
    facts = "the weight of lm is … −1,000,000"
    refused(facts, lambda: translator.with_weights({"lm": weight}), SettingError)
