"""Learners by name: built-in ones, entry points, and `module:Class`.

In text, `name:key=value:…`, because commas separate the settings of the distortion model.
"""

from typing import Any

from hyperbaton.foundation.catalogue import Catalogue
from hyperbaton.models.learning.interface import Learner

LEARNERS = {
    "mms": "hyperbaton.models.learning.perceptron:Perceptron",
    "svm": "hyperbaton.models.learning.hinge:SupportVectors",
    "svm-multiclass": "hyperbaton.models.learning.svm_multiclass:MulticlassSupportVectors",
    "mmr": "hyperbaton.models.learning.hinge:MarginRegression",
    "me": "hyperbaton.models.learning.entropy:Entropy",
    "me-gis": "hyperbaton.models.learning.entropy:IterativeScaling",
    "mlr-primal": "hyperbaton.models.learning.logistic:LogisticPrimal",
    "mlr-dual": "hyperbaton.models.learning.logistic:LogisticDual",
}
ENTRY_POINTS = "hyperbaton.learners"
_CATALOGUE = Catalogue("learner", Learner, LEARNERS, ENTRY_POINTS, ":")  # type: ignore[type-abstract]


def make_learner(name: str, **settings: Any) -> Learner:
    """Creates a learner from its name and settings, and checks the settings."""
    learner = _CATALOGUE.make(name, **settings)
    learner.check_settings()
    return learner


def parse_learner(text: str) -> tuple[str, dict[str, Any]]:
    """Parses and checks the name and settings of a learner.

    >>> parse_learner("me:sigma=0.5:max_iterations=50")
    ('me', {'sigma': 0.5, 'max_iterations': 50})
    """
    name, settings = _CATALOGUE.parse(text)
    make_learner(name, **settings)
    return name, settings
