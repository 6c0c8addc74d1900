"""The settings of training."""

from dataclasses import dataclass

from hyperbaton.corpus.corpora.reading import CorpusSettings
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.models.phrases.settings import PhraseSettings


@dataclass(frozen=True)
class LanguageModelSettings:
    """How language models are estimated (`--set lm.KEY=VALUE`)."""

    order: int = 5
    prune: str = "0"  # for each length, drop n-grams that occur this often or less: "0 0 1"
    classes: int = 0  # also a model of this many word classes; 0: none
    # ARPA files and KenLM binaries: FILE instead of a model of the target text, NAME=FILE beside it
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassSettings:
    """How word classes are made (`--set classes.KEY=VALUE`)."""

    number: int = 50


@dataclass(frozen=True)
class ResourceSettings:
    """What training may use (`--set train.KEY=VALUE`)."""

    memory: str = "3GB"  # for what is in the making; the rest goes to files. 0: no limit


@dataclass(frozen=True)
class TrainingSettings:
    corpus: CorpusSettings = CorpusSettings()
    phrases: PhraseSettings = PhraseSettings()
    lm: LanguageModelSettings = LanguageModelSettings()
    classes: ClassSettings = ClassSettings()
    train: ResourceSettings = ResourceSettings()
    distortion: tuple[str, ...] = ()  # models as `name,key=value,…`; none: linear and msd
    seed: int = 0
    text: TextSettings = TextSettings()
