"""Settings of training."""

from dataclasses import dataclass

from hyperbaton.corpus.corpora.reading import CorpusSettings
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.rules.settings import RuleSettings


@dataclass(frozen=True)
class LanguageModelSettings:
    """Settings for language models (`--set lm.KEY=VALUE`)."""

    order: int = 5  # longest n-gram, up to 6
    # for each n-gram length, drop n-grams that occur at most this often: `"0 0 1"`
    prune: str = "0"
    classes: int = 0  # also train a model of this many word classes; 0: do not
    # ARPA files or KenLM binaries: `FILE` replaces the model of the target text, `NAME=FILE` adds a
    # model
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassSettings:
    """Settings for word classes (`--set classes.KEY=VALUE`)."""

    number: int = 50  # number of word classes for each language


@dataclass(frozen=True)
class ResourceSettings:
    """Resources for training (`--set train.KEY=VALUE`)."""

    # for the stage being trained; larger data is sorted in temporary files. 0: no limit
    memory: str = "3GB"


PHRASE_BASED, HIERARCHICAL, BOTH = "phrases", "hierarchical", "both"
GRAMMARS = PHRASE_BASED, HIERARCHICAL, BOTH


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
    rules: RuleSettings = RuleSettings()
    rules_for: tuple[str, ...] = ()  # source texts; without any, all rules are kept
    grammar: str = PHRASE_BASED  # what is trained: phrases, hierarchical rules, or both

    @property
    def has_phrases(self) -> bool:
        return self.grammar != HIERARCHICAL

    @property
    def has_rules(self) -> bool:
        return self.grammar != PHRASE_BASED
