import numpy as np

from hyperbaton.models.phrases.lexical import _rounded


def test_probabilities_have_seven_decimals_and_are_never_rounded_to_nothing():
    found = _rounded(np.array([1e-9, 4e-8, 1.4e-7, 0.12345678, 1.0]))
    np.testing.assert_allclose(found, [1e-7, 1e-7, 1e-7, 0.1234568, 1.0], rtol=1e-12)
