"""Distance phrase reordering (Ni et al. 2011): how likely a phrase is to move, and how far.

A classifier (`classifier.py`) predicts from the source phrase, its surroundings and its translation
whether the phrase goes on where the last one ended (d = 0, with d = previous_end − start), jumps
forward (d < 0) or back (d > 0); with five classes, also whether it goes 5 words or more. Two uses
(section 4.2):

    direct   log p(o), the paper's choice for five classes
    scaled   −|d| / (β p(o)), eq. (7): linear distortion, cheaper for likely moves; for three

β scales the feature, as its weight does. In `scaled`, `floor` bounds p from below, so that a move
that the classifier thinks impossible does not outweigh everything else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from models.arrays import FloatArray, Int64Array
from models.data.array_files import load_arrays, save_arrays
from models.data.corpus import AlignedCorpus
from models.data.sentence import Sentence
from models.distortion.dpr.classifier import PhraseClassifier, TranslationScores
from models.distortion.dpr.examples import make_features
from models.distortion.dpr.fitting import ClassifierSettings, train_classifier
from models.distortion.dpr.samples import orientations
from models.distortion.interface import DistortionModel, HeatMap, OptionTable
from models.distortion.tables import Table, TableScorer
from models.kernels import kernel
from models.learning.catalogue import make_learner, parse_learner
from models.phrases.table import PhraseTable
from models.progress import Progress

DIRECT, SCALED, AUTO = "direct", "scaled", "auto"
FEATURE_OF_USE = {DIRECT: "logp", SCALED: "scaled"}


@dataclass(eq=False, kw_only=True)
class Dpr(ClassifierSettings, DistortionModel):
    """Distance phrase reordering (Ni et al. 2011): how likely a phrase is to move, and how far."""

    name: ClassVar[str] = "dpr"

    use: str = AUTO  # direct, scaled; auto: scaled for three classes, direct for five
    beta: float = 1.0
    floor: float = 0.01
    _memo: TranslationScores | None = field(default=None, init=False, repr=False)

    @property
    def _use(self) -> str:
        if self.use == AUTO:
            return SCALED if self.classes == 3 else DIRECT
        return self.use

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        self._check_choice("use", [AUTO, *FEATURE_OF_USE])
        name, settings = parse_learner(self.learner)
        learner = make_learner(name, **settings).name
        parts = [f"dpr{len(orientations(self.classes))}"]
        parts += [learner] if learner != "mms" else []
        parts += [self.features] if self.features != "ni" else []
        return (".".join([*parts, FEATURE_OF_USE[self._use]]),)

    @property
    def initial_weights(self) -> tuple[float, ...]:
        # dividing by p makes distances several times longer
        return (0.05 * self.beta if self._use == SCALED else 0.3,)

    def fit(
        self,
        corpus: AlignedCorpus,
        *,
        phrases: PhraseTable | None = None,  # noqa: ARG002
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
        self._check_positive("beta")
        self._check("floor", 0 < self.floor <= 1, "a probability above 0")
        self._check_at_least(0, "max_sentences")

    def prepare(self, sentence: Sentence, options: OptionTable) -> "DprScorer":
        memo = self._memo_of(options.phrases)
        log_p = self.classifier_.log_probabilities(sentence.words, options, memo)
        moves = _classes_of_distances(self.classes, options.n_words)
        if self._use == SCALED:
            values = _scaled(log_p, options.start, moves, self.beta, self.floor)
        else:
            values = _direct(log_p, options.start, moves)
        rows = np.empty(len(options) + 1, np.int32)
        rows[0], rows[1:] = 0, options.end
        table = Table(rows, np.arange(len(options), dtype=np.int32), values)
        names = orientations(self.classes).names
        return DprScorer(sentence, options, table, names, log_p)

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
        _, arrays, vocabularies = load_arrays(directory, self.FORMAT)
        features = make_features(self.features, self.window, self.order)
        self.classifier_ = PhraseClassifier.from_arrays(
            features, arrays, vocabularies["source"], vocabularies["target"]
        )
        return self


class DprScorer(TableScorer):
    """One table, from the end of the previous option to the next option."""

    def __init__(
        self,
        sentence: Sentence,
        options: OptionTable,
        table: Table,
        names: tuple[str, ...],
        log_p: FloatArray,
    ) -> None:
        super().__init__(1, [table])
        self._sentence, self._options = sentence, options
        self._names, self._log_p = names, log_p

    def distributions(self) -> Sequence[FloatArray]:
        """Over the classes of every option, (N, classes)."""
        return [np.exp(self._log_p)]

    def heat_maps(self) -> Sequence[HeatMap]:
        """How each source phrase moves, with its first option as translation."""
        spans = np.stack([self._options.start, self._options.end], axis=1)
        _, first = np.unique(spans, axis=0, return_index=True)
        phrases = tuple(" ".join(self._sentence.words[slice(*span)]) for span in spans[first])
        title = "p(move), d = previous end − start"
        values = np.exp(self._log_p[first])
        return [HeatMap(title, phrases, self._names, values, "source phrase", "class of moves")]


@lru_cache(maxsize=256)
def _classes_of_distances(n_classes: int, n_words: int) -> Int64Array:
    """The class of every distance d that a sentence allows, at n_words + d."""
    classes = orientations(n_classes).of(np.arange(-n_words, n_words + 1))
    classes.setflags(write=False)
    return classes


@kernel
def _direct(log_p, start, class_of_distance):
    """log p(o) of going from each previous end to each option, (n_words + 1, N, 1)."""
    n_words = len(class_of_distance) // 2
    values = np.empty((n_words + 1, len(start), 1))
    for previous_end in range(n_words + 1):
        for option in range(len(start)):
            o = class_of_distance[n_words + previous_end - start[option]]
            values[previous_end, option, 0] = log_p[option, o]
    return values


@kernel
def _scaled(log_p, start, class_of_distance, beta, floor):
    """The same with −|d| / (β p(o)), eq. (7)."""
    n_words = len(class_of_distance) // 2
    values = np.empty((n_words + 1, len(start), 1))
    prices = -1.0 / (beta * np.maximum(np.exp(log_p), floor))  # of a word's distance
    for previous_end in range(n_words + 1):
        for option in range(len(start)):
            d = previous_end - start[option]
            price = prices[option, class_of_distance[n_words + d]]
            values[previous_end, option, 0] = abs(d) * price
    return values
