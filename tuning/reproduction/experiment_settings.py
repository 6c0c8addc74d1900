"""The settings of a learning experiment (`learner_experiment.py`) and their checks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hyperbaton.corpus.words.word_classes import N_CLASSES
from hyperbaton.foundation.errors import DataError, SettingError, check_known
from hyperbaton.models.distortion.dpr.fitting import MIN_EXAMPLES, make_features
from hyperbaton.models.distortion.dpr.relative_frequency import RelativeFrequency
from hyperbaton.models.distortion.dpr.samples import DISTANCE, orientations
from hyperbaton.models.learning.catalogue import parse_learner

BASELINE = RelativeFrequency.name
SIZES = (200, 400, 800)
FARTHEST = 15  # Ni et al. omit longer distances, which are often wrong links
POOLED_ONLY = 1 << 60  # a value of `min_examples` that no source phrase reaches
POOLED, PAPER = "pooled", "paper"


@dataclass(frozen=True)
class ExperimentSettings:
    learners: tuple[str, ...] = (BASELINE, "mms", "mmr", "svm", "me", "mlr-dual")
    classes: tuple[int, ...] = (3, 5)
    moves: str = DISTANCE  # or msd
    sizes: tuple[int, ...] = ()  # training sentences; empty: SIZES, as far as the corpus allows
    repeats: int = 3
    test_size: int = 0  # test sentences; 0: a tenth of the corpus, at most 1000
    features: str = "ni"
    window: int = -1
    order: int = 3
    # paper (Ni et al., section 3.2): one model for each source phrase of the test sentences,
    # trained on its examples alone, and no other model
    protocol: str = POOLED
    min_examples: int = MIN_EXAMPLES  # for a separate model; ignored in the paper's protocol
    min_count: int = 1
    max_distance: int = FARTHEST
    word_classes: int = N_CLASSES
    seed: int = 1
    threads: int = 2
    tolerance_times: bool = False  # train again to measure the time to the same error
    timed: tuple[str, ...] = ()  # further learners, only for this measurement

    @property
    def discriminative(self) -> tuple[str, ...]:
        """All learners except the baseline, which only counts."""
        return tuple(name for name in self.learners if name != BASELINE)

    @property
    def size_names(self) -> list[str]:
        return [f"{size:,}" for size in self.sizes]

    @property
    def fewest(self) -> int:
        """Minimum examples of a source phrase for a separate model; 0: only separate models."""
        return 0 if self.protocol == PAPER else self.min_examples

    def check(self) -> None:
        """Checks the settings before a corpus is read."""
        check_known("protocol", self.protocol, (POOLED, PAPER))
        for name in (*self.discriminative, *self.timed):
            parse_learner(name)
        for n_classes in self.classes:
            orientations(n_classes, self.moves)
        make_features(self.features, self.window, self.order)

    def completed(self, n_pairs: int) -> "ExperimentSettings":
        """Checks the settings, and fills in the sizes for a corpus."""
        self.check()
        test_size = self.test_size or min(1000, n_pairs // 10)
        left = n_pairs - test_size
        if test_size < 1 or left < 1:
            raise DataError(
                f"{n_pairs} sentence pairs are too few",
                expected="training and test need at least one each",
            )
        sizes = self.sizes or tuple(sorted({min(size, left) for size in SIZES}))
        for size in sizes:
            if not 1 <= size <= left:
                raise SettingError(
                    f"{size} training sentences are not available",
                    expected=f"{n_pairs:,} pairs minus {test_size:,} for testing leave {left:,}",
                )
        return replace(self, sizes=tuple(sorted(sizes)), test_size=test_size)


def learner_names(text: str) -> tuple[str, ...]:
    """Splits `lr,mms,me:sigma=0.5` into distinct names."""
    names: Sequence[str] = [name.strip() for name in text.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))
