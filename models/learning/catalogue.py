"""Learners by name."""

from importlib import import_module
from typing import Any

from models.errors import SettingError, nearest
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


def make_learner(name: str, **settings: Any) -> Learner:
    """A learner from its name and its settings, which are checked."""
    place = LEARNERS.get(name)
    if place is None:
        raise SettingError(f"there is no learner {name!r}", expected=nearest(name, list(LEARNERS)))
    module, _, attribute = place.partition(":")
    made = getattr(import_module(module), attribute)
    known = list(made.__dataclass_fields__)
    for key in settings:
        if key not in known:
            raise SettingError(
                f"the learner {name} has no setting {key!r}", expected=nearest(key, known)
            )
    learner: Learner = made(**settings)
    try:
        learner.check_settings()
    except TypeError:  # a text where a number belongs
        raise SettingError(
            f"the settings {settings} of the learner {name} are not of the right types",
            expected=", ".join(f"{key}={value!r}" for key, value in made().settings().items()),
        ) from None
    return learner
