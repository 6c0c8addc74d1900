"""Systems in memory."""

from decoder import options, search
from decoder.translator import Translator
from models.distortion.linear import Linear
from models.system.folder import default_weights
from tests.decoder.systems import HAND, make_system


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
