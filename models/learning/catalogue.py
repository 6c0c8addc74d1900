"""Learners by name: ours, those of installed packages, and `module:Class`.

As text, `name:key=value:…`, because commas separate the settings of the model that they serve.
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
    """A learner from its name and its settings, which are checked."""
    learner = _CATALOGUE.make(name, **settings)
    learner.check_settings()
    return learner


def parse_learner(text: str) -> tuple[str, dict[str, Any]]:
    """Name and settings of a learner, checked.

    >>> parse_learner("me:sigma=0.5:max_iterations=50")
    ('me', {'sigma': 0.5, 'max_iterations': 50})
    """
    name, settings = _CATALOGUE.parse(text)
    make_learner(name, **settings)
    return name, settings
