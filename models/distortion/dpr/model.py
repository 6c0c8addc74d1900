"""Distance phrase reordering (Ni et al. 2011): how likely a phrase is to move, and how far.

A classifier (`classifier.py`) predicts from the source phrase, its surroundings and its translation
whether the phrase continues where the last one ended (d = 0, with d = previous_end − start), jumps
forward (d < 0) or back (d > 0); with five classes, also whether it jumps 5 words or more. With
`moves=msd` the classes are monotone, swap and discontinuous (Alrajeh and Niranjan 2014). Uses
(section 4.2 of both papers):

    direct   log p(o), the paper's choice for five classes
    scaled   −|d| / (β p(o)), eq. (7): linear distortion, cheaper for likely moves; for three. On
             our data `direct` translates better with three classes, too, and is the default
    bidirectional
             log p of the orientation towards the previous phrase, and log p that the previous
             phrase had given to the orientation of the next one, by a second classifier; a feature
             for each of the six, as in the lexicalised model that Alrajeh and Niranjan replace.
             For `moves=msd`

In `scaled`, `cap` is the largest value of the factor 1 / (β p), so that a very unlikely move does
not outweigh everything else, and `monotone_penalty` is the distance charged for d = 0 if
p(d = 0) ≤ ½; in eq. (7) d = 0 is always free. The defaults are those of the program that the
authors released for Moses. Eq. (7) as printed has no cap and no penalty, and then β only scales the
feature, as its weight does.

Without a sub-model and a pooled model, all classes of a phrase have equal probabilities. As in that
program, `direct` then gives log 1/K for any move, and `scaled` only the distance, so that d = 0 is
free.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, Self

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.files.array_files import load_arrays, restored, save_arrays, saved
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.dpr.classifier import (
    PhraseClassifier,
    TranslationScores,
    classifier_laws,
)
from hyperbaton.models.distortion.dpr.fitting import (
    ClassifierSettings,
    make_features,
    train_classifier,
)
from hyperbaton.models.distortion.dpr.samples import DISTANCE, MSD, Orientations, orientations
from hyperbaton.models.distortion.dpr.scorers import (
    BIDIRECTIONAL,
    BidirectionalScorer,
    CornerScorer,
    DistanceScorer,
    MoveScorer,
    PredictedMoves,
    Scaling,
)
from hyperbaton.models.distortion.interface import DistortionModel, OptionTable
from hyperbaton.models.learning.catalogue import make_learner, parse_learner
from hyperbaton.models.learning.clusters import ClusterModel
from hyperbaton.models.phrases.table import PhraseTable

DIRECT, SCALED, BOTH_WAYS = "direct", "scaled", "bidirectional"
FEATURES_OF_USE = {
    DIRECT: ["logp"],
    SCALED: ["scaled"],
    BOTH_WAYS: [f"{direction}.{name}" for direction, name in BIDIRECTIONAL.columns],
}
FORWARD = "forward_"  # prefix of saved arrays with weights of the second classifier


@dataclass(eq=False, kw_only=True)
class Dpr(ClassifierSettings, DistortionModel):
    """Distance phrase reordering (Ni et al. 2011): how likely a phrase is to move, and how far."""

    name: ClassVar[str] = "dpr"

    # `direct` (log p), `scaled` (distance divided by p), or `bidirectional` for `moves=msd`
    use: str = DIRECT
    beta: float = 3.0  # β of `scaled`: the price of a word's distance is 1 / (β p)
    cap: float = 5.0  # largest price of a word's distance in `scaled`
    monotone_penalty: float = 1.0  # `scaled` charges an unlikely d = 0 for this many words
    _memo: list[TranslationScores] = field(default_factory=list, init=False, repr=False)

    @property
    def _setup(self) -> Orientations:
        return orientations(self.classes, self.moves)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        self._check_choice("use", list(FEATURES_OF_USE))
        name, settings = parse_learner(self.learner)
        learner = make_learner(name, **settings).name
        kind = "" if self.moves == DISTANCE else f".{self.moves}"
        parts = [f"dpr{len(self._setup)}{kind}"]
        parts += [learner] if learner != "mms" else []
        parts += [self.features] if self.features != "ni" else []
        return tuple(".".join([*parts, name]) for name in FEATURES_OF_USE[self.use])

    @property
    def initial_weights(self) -> tuple[float, ...]:
        # dividing by p makes distances several times longer
        return (0.05 * self.beta,) if self.use == SCALED else super().initial_weights

    def fit(
        self,
        corpus: AlignedCorpus,
        *,
        seed: int = 0,
        threads: int = 2,
        progress: Progress = silent,
    ) -> Self:
        self.check_settings()
        self._memo = []
        both_ways = self.use == BOTH_WAYS
        trained = train_classifier(corpus, self, seed, threads, progress, forward=both_ways)
        self.classifier_ = trained[0]
        if both_ways:
            self.forward_ = trained[1]
        return self

    @property
    def _classifiers(self) -> list[PhraseClassifier]:
        return [self.classifier_, *([self.forward_] if self.use == BOTH_WAYS else [])]

    def check_settings(self) -> None:
        _ = self.feature_names  # checks the classes, the learner and the use
        make_features(self.features, self.window, self.order)
        possible = self.use != SCALED or bool(self._setup.last)
        self._check("use", possible, f"classes of {self.moves} have no distances to scale")
        possible = self.use != BOTH_WAYS or self.moves == MSD
        self._check("use", possible, f"it needs moves={MSD}")
        self._check_positive("beta", "cap")
        self._check_at_least(0, "monotone_penalty", "max_sentences")

    def prepare(self, sentence: Sentence, options: OptionTable) -> MoveScorer:
        classifiers = self._classifiers
        memos = self._memo_of(options.phrases, classifiers)
        log_p = [
            classifier.log_probabilities(sentence.words, options, memo)
            for classifier, memo in zip(classifiers, memos, strict=True)
        ]
        predicted = PredictedMoves(sentence, options, self._setup, log_p)
        if self.use == BOTH_WAYS:
            return BidirectionalScorer(predicted)
        if not self._setup.last:
            return CornerScorer(predicted)
        scaling = Scaling(self.beta, self.cap, self.monotone_penalty)
        return DistanceScorer(predicted, scaling if self.use == SCALED else None)

    def _memo_of(
        self, phrases: PhraseTable, classifiers: list[PhraseClassifier]
    ) -> list[TranslationScores]:
        """The caches for the phrase table in use; another table starts new ones."""
        memo = self._memo  # one read: another thread may change it
        if not memo or memo[0].phrases is not phrases:
            self._memo = memo = [
                TranslationScores(phrases, classifier) for classifier in classifiers
            ]
        return memo

    def save(self, directory: Path) -> None:
        vocabularies = {
            "source": self.classifier_.source.vocabulary,
            "target": self.classifier_.target.vocabulary,
        }
        arrays = self.classifier_.arrays()
        for forward in self._classifiers[1:]:
            arrays |= saved(forward.model, FORWARD)
        save_arrays(directory, self.FORMAT, self.settings(), arrays, vocabularies)

    def load(self, directory: Path) -> Self:
        features = make_features(self.features, self.window, self.order)
        n_classes = len(self._setup)
        both_ways = self.use == BOTH_WAYS
        others = (FORWARD,) if both_ways else ()
        laws = partial(classifier_laws, features=features, n_classes=n_classes, others=others)
        _, arrays, vocabularies = load_arrays(directory, self.FORMAT, laws, self.settings())
        self.classifier_ = PhraseClassifier.from_arrays(
            features, arrays, vocabularies["source"], vocabularies["target"]
        )
        if both_ways:
            model = restored(ClusterModel, arrays, FORWARD)
            self.forward_ = replace(self.classifier_, model=model)
        return self
