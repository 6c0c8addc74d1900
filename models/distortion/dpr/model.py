"""Distance phrase reordering (Ni et al. 2011): how likely a phrase is to move, and how far.

A classifier (`classifier.py`) predicts from the source phrase, its surroundings and its translation
whether the phrase goes on where the last one ended (d = 0, with d = previous_end − start), jumps
forward (d < 0) or back (d > 0); with five classes, also whether it goes 5 words or more. With
`moves=msd` the classes are monotone, swap and discontinuous (Alrajeh and Niranjan 2014). Two uses
(section 4.2):

    direct   log p(o), the paper's choice for five classes
    scaled   −|d| / (β p(o)), eq. (7): linear distortion, cheaper for likely moves; for three. On
             our data `direct` translates better with three classes, too, and is the default

In `scaled`, `cap` bounds the price 1 / (β p) of a word's distance from above, so that a move that
the classifier thinks impossible does not outweigh everything else, and `monotone_penalty` charges
d = 0 for so many words where p(d = 0) ≤ ½; in eq. (7) it is free, however unlikely. The defaults
are those of the program that the authors released for Moses. Eq. (7) as printed has no cap and no
penalty, and then β only scales the feature, as its weight does.

A phrase without a sub-model, where there is no pooled one, has equal probabilities. As in that
program, `direct` then gives log 1/K for any move, and `scaled` the distance alone, so that d = 0 is
free.
"""

from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, Self

from models.data.array_files import load_arrays, save_arrays
from models.data.corpus import AlignedCorpus
from models.data.sentence import Sentence
from models.distortion.dpr.classifier import (
    PhraseClassifier,
    TranslationScores,
    classifier_laws,
)
from models.distortion.dpr.examples import make_features
from models.distortion.dpr.fitting import ClassifierSettings, train_classifier
from models.distortion.dpr.samples import DISTANCE, Orientations, orientations
from models.distortion.dpr.scorers import CornerScorer, DistanceScorer, MoveScorer, Scaling
from models.distortion.interface import DistortionModel, OptionTable
from models.learning.catalogue import make_learner, parse_learner
from models.phrases.table import PhraseTable
from models.progress import Progress

DIRECT, SCALED = "direct", "scaled"
FEATURE_OF_USE = {DIRECT: "logp", SCALED: "scaled"}


@dataclass(eq=False, kw_only=True)
class Dpr(ClassifierSettings, DistortionModel):
    """Distance phrase reordering (Ni et al. 2011): how likely a phrase is to move, and how far."""

    name: ClassVar[str] = "dpr"

    use: str = DIRECT  # or scaled
    beta: float = 3.0
    cap: float = 5.0
    monotone_penalty: float = 1.0
    _memo: TranslationScores | None = field(default=None, init=False, repr=False)

    @property
    def _setup(self) -> Orientations:
        return orientations(self.classes, self.moves)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        self._check_choice("use", list(FEATURE_OF_USE))
        name, settings = parse_learner(self.learner)
        learner = make_learner(name, **settings).name
        kind = "" if self.moves == DISTANCE else f".{self.moves}"
        parts = [f"dpr{len(self._setup)}{kind}"]
        parts += [learner] if learner != "mms" else []
        parts += [self.features] if self.features != "ni" else []
        return (".".join([*parts, FEATURE_OF_USE[self.use]]),)

    @property
    def initial_weights(self) -> tuple[float, ...]:
        # dividing by p makes distances several times longer
        return (0.05 * self.beta if self.use == SCALED else 0.3,)

    def fit(
        self,
        corpus: AlignedCorpus,
        *,
        seed: int = 0,
        threads: int = 2,
        progress: Progress | None = None,
    ) -> Self:
        self.check_settings()
        self._memo = None
        self.classifier_ = train_classifier(corpus, self, seed, threads, progress)
        return self

    def check_settings(self) -> None:
        """Refuses impossible values before any work."""
        _ = self.feature_names  # checks the classes, the learner and the use
        make_features(self.features, self.window, self.order)
        possible = self.use == DIRECT or bool(self._setup.last)
        self._check("use", possible, f"classes of {self.moves} have no distances to scale")
        self._check_positive("beta", "cap")
        self._check_at_least(0, "monotone_penalty", "max_sentences")

    def prepare(self, sentence: Sentence, options: OptionTable) -> MoveScorer:
        memo = self._memo_of(options.phrases)
        log_p = self.classifier_.log_probabilities(sentence.words, options, memo)
        if not self._setup.last:
            return CornerScorer(sentence, options, self._setup, log_p)
        scaling = Scaling(self.beta, self.cap, self.monotone_penalty)
        chosen = scaling if self.use == SCALED else None
        return DistanceScorer(sentence, options, self._setup, log_p, chosen)

    def _memo_of(self, phrases: PhraseTable) -> TranslationScores:
        """The memory of the phrase table in use; another table starts a new one."""
        memo = self._memo  # one read: another thread may change it
        if memo is None or memo.phrases is not phrases:
            self._memo = memo = TranslationScores(phrases, self.classifier_)
        return memo

    def save(self, directory: Path) -> None:
        vocabularies = {
            "source": self.classifier_.source.vocabulary,
            "target": self.classifier_.target.vocabulary,
        }
        save_arrays(
            directory, self.FORMAT, self.settings(), self.classifier_.arrays(), vocabularies
        )

    def load(self, directory: Path) -> Self:
        features = make_features(self.features, self.window, self.order)
        n_classes = len(self._setup)
        laws = partial(classifier_laws, features=features, n_classes=n_classes)
        _, arrays, vocabularies = load_arrays(directory, self.FORMAT, laws, self.settings())
        self.classifier_ = PhraseClassifier.from_arrays(
            features, arrays, vocabularies["source"], vocabularies["target"]
        )
        return self
