"""Learners by name: ours, those of installed packages, and `module:Class`.

As text, `name:key=value:…`, because commas separate the settings of the model that they serve.
"""

from typing import Any

from models.catalogue import Catalogue
from models.learning.interface import Learner

LEARNERS = {
    "mms": "models.learning.perceptron:Perceptron",
    "mms-extragradient": "models.learning.extragradient:ExtraGradient",
    "svm": "models.learning.svm:SupportVectors",
    "svm-multiclass": "models.learning.svm_multiclass:MulticlassSupportVectors",
    "mmr": "models.learning.regression:MarginRegression",
    "me": "models.learning.entropy:Entropy",
    "me-gis": "models.learning.iterative_scaling:IterativeScaling",
    "mlr-primal": "models.learning.logistic_primal:LogisticPrimal",
    "mlr-dual": "models.learning.logistic_dual:LogisticDual",
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
