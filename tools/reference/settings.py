"""All settings with their defaults, from the classes that have them."""

from collections.abc import Iterator

from hyperbaton.foundation.work.cluster.opening import ClusterSettings
from hyperbaton.models.distortion.catalogue import MODELS, make_model
from hyperbaton.models.learning.catalogue import LEARNERS, make_learner
from hyperbaton.settings import Settings
from hyperbaton.tuning.optimisers.interface import OPTIMISERS, make_optimiser
from hyperbaton.tuning.weights.sections import section_names
from tools.reference.markdown import MADE, fields_of, paragraphs, table

INTRODUCTION = f"""# All settings

{MADE}

A setting is named `section.key`. There are three ways to give one, and the last one wins:

| where | example |
|---|---|
| a TOML file (`--config`, or the file of `compare`) | `[lm]`, then `order = 3` |
| a keyword argument in Python | `hyperbaton.train(…, lm={{"order": 3}})` |
| the command line | `--set lm.order=3` |

A misspelt name, and a section that the command does not use, is an error. Distortion models and
learners have settings too, which follow their names; see below.
"""
MODELS_TEXT = """## Distortion models

Settings follow the model's name: `--distortion sequence,max_sentences=50000`.
"""
LEARNERS_TEXT = """## Learners

The classifiers of the model `dpr`. Settings follow the learner's name after colons:
`--distortion dpr,learner=mlr-dual:sigma=0.5`.
"""


def settings_page() -> Iterator[str]:
    yield INTRODUCTION
    for section in section_names(Settings):
        yield from _section(f"## {section}", type(getattr(Settings(), section)))
    for name in OPTIMISERS:
        yield from _section(f"## {name}", type(make_optimiser(name)))
    yield from _section("## cluster", ClusterSettings)
    yield MODELS_TEXT
    for name in sorted(MODELS):
        yield from _section(f"### {name}", type(make_model(name)))
    yield LEARNERS_TEXT
    for name in sorted(LEARNERS):
        yield from _section(f"### {name}", type(make_learner(name)))


def _section(heading: str, described: type) -> Iterator[str]:
    yield from (heading, "", paragraphs(described).split("\n\n")[0], "")
    rows = [
        (f"`{one.name}`", f"`{_shown(one.default)}`", one.meaning)
        for one in fields_of(described)
        if one.name != "optimisers"
    ]
    if rows:
        yield from table(("key", "default", "meaning"), rows)


def _shown(default: object) -> str:
    """As TOML writes it."""
    if isinstance(default, (str, bool)):
        return str(default).lower() if isinstance(default, bool) else f'"{default}"'
    return {"()": "[]", "<factory>": "{}"}.get(repr(default), str(default))
