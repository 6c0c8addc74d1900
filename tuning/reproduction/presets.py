"""Comparisons that mirror the papers' tables, for any data: systems, limits, and further
experiments."""

from dataclasses import dataclass, replace

from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.models.distortion.catalogue import split_model
from hyperbaton.models.system.folder import NO_LIMIT
from hyperbaton.tuning.comparison.configuration import ComparedSystem, Configuration
from hyperbaton.tuning.evaluation.significance import SIGNIFICANT
from hyperbaton.tuning.weights.settings import BEST, GOTO, METHOD

LINEAR = ComparedSystem("LINEAR", ("linear",))
LEX = ComparedSystem("LINEAR+LEX", ("linear", "msd"))
NINE = ComparedSystem("9-CLASS", ("nine-class",))
PAIR = ComparedSystem("PAIR", ("pair",))
SEQUENCE = ComparedSystem("SEQUENCE", ("sequence",))
DPR3 = ComparedSystem("DPR-3", ("dpr,classes=3",))
# A sub-model for every source phrase, and no other. The paper trains those of the test set only;
# the others are never asked for, and no sub-model depends on them.
NI_SETTINGS = "min_examples=0,max_sentences=0"
MMS = "mms:average=false"  # the last weights, as in Table 2
# one model for all phrases, features that are seen more than ten times, all sentences, and as many
# weights as the lexicalised model has
ALRAJEH_SETTINGS = (
    "dpr,moves=msd,use=bidirectional,features=alrajeh,min_count=11,min_examples=1000000000,"
    "max_sentences=0"
)
PARSE_ROWS = ("me", "me+prior", "me+cov", "me+sib", "me+cov+sib", "me+prior+cov+sib")
PARSE = ComparedSystem("PARSE", ("linear", "parse,use=me+prior+cov+sib"))


def _parse(row: str) -> ComparedSystem:
    """With one α for all pairs, 0.9 (eq. 6)."""
    return ComparedSystem(row.upper(), ("linear", f"parse,use={row},alpha_half=0"))


def _discounted(row: str) -> ComparedSystem:
    """Ours: α is smaller for rare pairs."""
    name = row.upper().replace("PRIOR", "DISCOUNTED PRIOR")
    return ComparedSystem(name, ("linear", f"parse,use={row}"))


@dataclass(frozen=True)
class Preset:
    """A comparison without its data."""

    title: str
    systems: tuple[ComparedSystem, ...]
    baseline: str
    limits: tuple[int, ...]
    method: str = METHOD  # of tuning
    protocol: str = BEST
    lowercase: bool = False
    alpha: float = SIGNIFICANT
    exhibits: tuple[str, ...] = ()  # names in tuning/reproduction/making.py


PRESETS = {
    "goto": Preset(
        "Linear, lexicalised, 9-class, pair and sequence models (Goto et al. 2013)",
        (LINEAR, LEX, NINE, PAIR, SEQUENCE),
        "LINEAR+LEX",
        (10, 20, 30, NO_LIMIT),
        method="mert",
        protocol=GOTO,
        lowercase=True,
        alpha=0.01,
        exhibits=("next_word",),
    ),
    "ni": Preset(
        "Distance phrase reordering (Ni et al. 2011)",
        (
            ComparedSystem("MOSES", ("linear", "msd")),
            # with one weight each: there is no linear distortion beside them
            ComparedSystem("DPR-3", (f"dpr,classes=3,use=scaled,{NI_SETTINGS},learner={MMS}",)),
            ComparedSystem("DPR-5", (f"dpr,classes=5,{NI_SETTINGS},learner={MMS}",)),
            ComparedSystem("ME-3", (f"dpr,classes=3,use=scaled,{NI_SETTINGS},learner=me",)),
            ComparedSystem("ME-5", (f"dpr,classes=5,{NI_SETTINGS},learner=me",)),
            # ours: rare phrases share a model, and our default use, which scales no distances
            ComparedSystem("DPR-3 POOLED", ("dpr,classes=3,use=scaled",)),
            ComparedSystem("DPR-3 POOLED DIRECT", DPR3.distortion),
        ),
        "MOSES",
        (6,),
        method="mert",
        exhibits=("ni_classification", "ni_classification_paper", "data_sizes"),
    ),
    "xiang": Preset(
        "Smoothed priors and parse features (Xiang et al. 2011)",
        (
            ComparedSystem("PBT", ("linear",)),
            *map(_parse, PARSE_ROWS),
            *(_discounted(row) for row in PARSE_ROWS if "prior" in row),
        ),
        "ME",
        (9,),  # "the value of maximum skip is set to 9 in all the experiments" (section 7.1)
        exhibits=("jumps", "siblings"),
    ),
    "alrajeh": Preset(
        "Dual logistic regression (Alrajeh and Niranjan 2014)",
        (
            ComparedSystem("LEXICAL", ("linear", "msd")),
            ComparedSystem("PRIMAL", ("linear", f"{ALRAJEH_SETTINGS},learner=mlr-primal")),
            ComparedSystem("DUAL", ("linear", f"{ALRAJEH_SETTINGS},learner=mlr-dual")),
        ),
        "LEXICAL",
        (6,),
        method="mert",
        exhibits=("alrajeh_classification",),
    ),
    "all": Preset(
        "Reordering models side by side",
        (LINEAR, LEX, DPR3, NINE, PAIR, SEQUENCE, PARSE),
        "LINEAR+LEX",
        (10,),
    ),
}


def _has_trees(model: str) -> bool:
    return split_model(model)[0] == "parse"


def apply_preset(configuration: Configuration, name: str) -> Configuration:
    """The preset's systems, limits and so on where the configuration does not say otherwise.

    Systems with parse features are left out where there are no trees.
    """
    if name not in PRESETS:
        raise SettingError(f"there is no preset {name!r}", expected=nearest(name, list(PRESETS)))
    preset = PRESETS[name]
    systems = preset.systems
    if configuration.train.source_tree is None:
        systems = tuple(s for s in systems if not any(map(_has_trees, s.distortion)))
        if len(systems) < 2 and not configuration.system:
            raise SettingError(
                f"the preset {name!r} needs trees of the source sentences",
                expected="source_tree in [train], [dev] and [[test]]",
            )
    systems = configuration.system or systems
    names = [system.name for system in systems]
    tune, lowercase, alpha = configuration.tune, configuration.lowercase, configuration.alpha
    return replace(
        configuration,
        preset=name,
        title=configuration.title or preset.title,
        system=systems,
        baseline=configuration.baseline or (preset.baseline if preset.baseline in names else ""),
        limits=configuration.limits or preset.limits,
        lowercase=preset.lowercase if lowercase is None else lowercase,
        alpha=preset.alpha if alpha is None else alpha,
        tune=replace(
            tune,
            method=tune.method or preset.method,
            protocol=tune.protocol or preset.protocol,
        ),
    )
