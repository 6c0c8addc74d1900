"""The configuration of a comparison, from a TOML file: data, systems, distortion limits, replicas.

    title = "Goto et al. 2013, Table 3"
    baseline = "LINEAR+LEX"
    limits = [10, "inf"]

    [train]                       # the files of `hyperbaton train`
    source = "train.ja"
    target = "train.en"
    alignment = "train.align"
    lines = "1-48000"             # of all these files; also for dev and test

    [dev]
    source = "dev.ja"
    references = ["dev.en"]

    [[test]]
    name = "test"
    source = "test.ja"
    references = ["test.en"]

    [[system]]
    name = "LINEAR+LEX"
    distortion = ["linear", "msd"]

    [text]                        # if the text is raw
    source_language = "ja"
    target_language = "en"

    [tune]
    method = "mira"

    [mira]                        # each optimiser has its own table
    step = 0.02

`preset = "goto"` may replace systems (see `tuning/reproduction/papers/`). Paths are relative to the
TOML file. The error for an unknown key suggests the nearest known one.
"""

import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta

from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.foundation.errors import SettingError, check_known, nearest
from hyperbaton.foundation.files.typed_reading import typed
from hyperbaton.foundation.settings_text import INFINITE, NO_LIMIT
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.rules.settings import RuleSettings
from hyperbaton.models.system.folder import CHART, DISTORTION_LIMIT, SEARCHES, STACK
from hyperbaton.models.system.settings import ClassSettings, LanguageModelSettings
from hyperbaton.tuning.evaluation.data_sets import ALL_LINES, DataSet
from hyperbaton.tuning.evaluation.significance import SIGNIFICANT
from hyperbaton.tuning.metrics.catalogue import check_name
from hyperbaton.tuning.metrics.words import TextOptions, usual_tokeniser
from hyperbaton.tuning.optimisers.interface import OPTIMISERS
from hyperbaton.tuning.weights.sections import is_optimiser, read_toml, section_names, with_sections
from hyperbaton.tuning.weights.settings import BEST, COMPARE_SETTINGS, METHOD, TuneSettings

Record = TypeVar("Record")
METRICS = ("bleu", "bleu-1", "nist", "wer", "ter", "meteor-exact-stem", "ribes", "pdscore")
Limit = Annotated[int, Meta(ge=NO_LIMIT, title='a whole number, or "inf"')]


@dataclass(frozen=True)
class TrainingData:
    source: Path
    target: Path
    alignment: Path
    source_tags: Path | None = None
    target_tags: Path | None = None
    source_tree: Path | None = None
    lines: str = ALL_LINES


@dataclass(frozen=True)
class ComparedSystem:
    name: str
    distortion: tuple[str, ...] = ()  # models as `name,key=value,…`
    weights: str = ""  # use the tuned weights of this system, which has the same features
    decoder: str = STACK  # `stack`, or `chart` for hierarchical rules, without distortion models

    @property
    def is_chart(self) -> bool:
        return self.decoder == CHART


@dataclass(frozen=True)
class Configuration:
    train: TrainingData
    dev: DataSet
    test: tuple[DataSet, ...]
    system: tuple[ComparedSystem, ...] = ()
    preset: str = ""  # fills in missing settings
    title: str = ""
    note: str = ""  # about the data, shown with every verdict
    baseline: str = ""  # of significance tests; by default the first system
    limits: tuple[Limit, ...] = ()
    metrics: tuple[str, ...] = METRICS
    tokenize: str = (
        ""  # sacrebleu's tokeniser; by default none, or that of the language of raw text
    )
    lowercase: bool | None = None  # whether metrics ignore case
    significance: str = "bootstrap"
    alpha: float | None = None  # p below it is called significant
    seed: int = 0  # of training
    tune: TuneSettings = COMPARE_SETTINGS
    phrases: PhraseSettings = PhraseSettings()
    lm: LanguageModelSettings = LanguageModelSettings()
    classes: ClassSettings = ClassSettings()
    search: SearchSettings = SearchSettings()
    text: TextSettings = TextSettings()  # without languages, text is tokenised
    rules: RuleSettings = RuleSettings()

    @property
    def text_options(self) -> TextOptions:
        """How metrics preprocess the text of the test sets."""
        tokeniser = self.tokenize or usual_tokeniser(self.text.target_language)
        return TextOptions(tokeniser, bool(self.lowercase))

    @property
    def significant(self) -> float:
        return SIGNIFICANT if self.alpha is None else self.alpha

    @property
    def baseline_name(self) -> str:
        return self.baseline or self.system[0].name

    def plain(self) -> dict[str, Any]:
        """The configuration as JSON values."""
        plain: dict[str, Any] = asdict(self) | {"tune": self.tune.plain()}
        return {**json.loads(json.dumps(plain, default=str))}


def read_configuration(path: Path) -> Configuration:
    return read_record(path, Configuration)


def read_record(path: Path, kind: type[Record]) -> Record:
    """Reads a configuration, or a record with some of its fields and sections, from a TOML file."""
    content, where = read_toml(path), str(path)
    if isinstance(limits := content.get("limits"), list):
        content["limits"] = [NO_LIMIT if limit == INFINITE else limit for limit in limits]
    names = section_names(kind)
    sections = {key: content.pop(key) for key in [*content] if key in names or is_optimiser(key)}

    def relative(kind: type, value: Any) -> Path:
        if kind is not Path or not isinstance(value, str):
            raise TypeError
        return path.parent / value

    record = typed(content, kind, where, hook=relative, also=OPTIMISERS)
    return with_sections(record, sections, where)


def check(configuration: Configuration) -> Configuration:
    """Fills in all defaults, and checks the configuration before anything is trained."""
    tune = configuration.tune
    configuration = replace(
        configuration,
        title=configuration.title or "Comparison of reordering models",
        limits=configuration.limits or (DISTORTION_LIMIT,),
        tune=replace(tune, method=tune.method or METHOD, protocol=tune.protocol or BEST),
    )
    for kind, names in {
        "system": [system.name for system in configuration.system],
        "test": [test.name for test in configuration.test],
    }.items():
        if not names:
            raise SettingError(f"there is no [[{kind}]]")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SettingError(f"two [[{kind}]] have the name {twice[0]!r}")
    systems = [system.name for system in configuration.system]
    if configuration.baseline_name not in systems:
        raise SettingError(
            f"the baseline {configuration.baseline!r} is not a system",
            expected=nearest(configuration.baseline, systems),
        )
    tuned = [system.name for system in configuration.system if not system.weights]
    for system in configuration.system:
        _check_system(system, tuned)
    if not 0 < configuration.significant < 1:
        raise SettingError(f"alpha cannot be {configuration.alpha}", expected="between 0 and 1")
    metrics = tuple(check_name(name) for name in configuration.metrics)
    data = configuration.dev, *configuration.test
    for lines in (configuration.train.lines, *(item.lines for item in data)):
        line_range(lines)
    return replace(configuration, metrics=metrics)


def _check_system(system: ComparedSystem, tuned: list[str]) -> None:
    check_known("decoder", system.decoder, SEARCHES, f"system {system.name!r}")
    if system.is_chart and system.distortion:
        raise SettingError(
            f"the system {system.name!r} has a chart decoder and distortion models",
            expected="hierarchical rules decide the order of words",
        )
    if not (system.distortion or system.is_chart):
        raise SettingError(f"the system {system.name!r} has no distortion model")
    if system.weights and system.weights not in tuned:
        raise SettingError(
            f"the system {system.name!r} cannot use the weights of {system.weights!r}",
            expected=f"expected a tuned system: {nearest(system.weights, tuned)}",
        )


def line_range(text: str) -> tuple[int, int | None]:
    """The first line, from 0, and one past the last; None for the end of the file.

    >>> line_range("1-48000"), line_range("48001-"), line_range("all")
    ((0, 48000), (48000, None), (0, None))
    """
    if text == ALL_LINES:
        return 0, None
    match = re.fullmatch(r"(\d+)-(\d*)", text.strip())
    first, last = (int(match[1]), match[2]) if match else (0, "")
    if first < 1 or (last and int(last) < first):
        raise SettingError(f"lines cannot be {text!r}", expected='expected a range like "1-48000"')
    return first - 1, int(last) if last else None


def limit_name(limit: int) -> str:
    return "∞" if limit == NO_LIMIT else str(limit)
