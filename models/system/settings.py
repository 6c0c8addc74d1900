"""Settings of training."""

from dataclasses import dataclass

from hyperbaton.corpus.corpora.reading import CorpusSettings
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.models.phrases.settings import PhraseSettings


@dataclass(frozen=True)
class LanguageModelSettings:
    """Settings for language models (`--set lm.KEY=VALUE`)."""

    order: int = 5
    prune: str = "0"  # for each order, drop n-grams with this count or less: "0 0 1"
    classes: int = 0  # number of classes of an additional class model; 0: none
    # ARPA files and KenLM binaries: FILE replaces the model of the target text, NAME=FILE is added
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassSettings:
    """Settings for word classes (`--set classes.KEY=VALUE`)."""

    number: int = 50


@dataclass(frozen=True)
class ResourceSettings:
    """Resources of training (`--set train.KEY=VALUE`)."""

    memory: str = "3GB"  # limit for intermediate data; the rest goes to files. 0: no limit


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
