"""Optimisers by name, and the settings that each refuses."""

from dataclasses import fields

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.optimisers.interface import OPTIMISERS, Optimiser, make_optimiser
from hyperbaton.tuning.optimisers.mert import LatticeMert, Mert
from hyperbaton.tuning.optimisers.mira import Mira
from hyperbaton.tuning.optimisers.pro import Pro
from tests.refusals import refusals


class Standing(Optimiser):
    name = "standing"

    def improve(self, pool, objective, start, seed):  # noqa: ARG002
        return start.weights


def test_every_name_makes_its_own_kind():
    made = {name: make_optimiser(name) for name in OPTIMISERS}
    assert made == {"mert": Mert(), "mert-lattice": LatticeMert(), "pro": Pro(), "mira": Mira()}
    for name, optimiser in made.items():
        assert optimiser.name == name
        assert fields(optimiser)
        optimiser.check_settings()


def test_classes_of_other_modules():
    assert isinstance(make_optimiser(f"{__name__}:Standing"), Standing)


@refusals(
    ("mret", "'mret' … did you mean mert?"),
    ("xyz", "'xyz' … known: mert, mert-lattice, mira, pro"),
    ("nothing:Here", "the tuning method 'nothing:Here' cannot be loaded: No module named"),
    (
        "hyperbaton.foundation.errors:Here",
        "cannot be loaded: module 'hyperbaton.foundation.errors' has no attribute 'Here'",
    ),
    ("collections:OrderedDict", "'collections:OrderedDict' is not a tuning method"),
    error=SettingError,
)
def test_names_that_lead_nowhere(name):
    make_optimiser(name)


@refusals(
    (Mert(restarts=-1), "mert.restarts is -1 … at least 0"),
    (Mert(directions=-1), "mert.directions is -1 … at least 0"),
    (Pro(candidates=0), "pro.candidates is 0 … at least 1"),
    (Pro(pairs=0), "pro.pairs is 0 … at least 1"),
    (Pro(threshold=-0.1), "pro.threshold is -0.1 … at least 0"),
    (Pro(interpolation=0.0), "pro.interpolation is 0.0 … above 0, at most 1"),
    (Mira(passes=0), "mira.passes is 0 … at least 1"),
    (Mira(decay=1.5), "mira.decay is 1.5 … above 0, at most 1"),
    (Mira(step=0.0), "mira.step is 0.0 … above 0"),
    error=SettingError,
)
def test_settings_that_cannot_be(optimiser):
    optimiser.check_settings()
