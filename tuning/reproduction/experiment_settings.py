"""Settings of a learning experiment (`learner_experiment.py`), checked before any work."""

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
FARTHEST = 15  # Ni et al. leave out longer distances, which are often wrong links
POOLED_ONLY = 1 << 60  # examples that a source phrase needs for a model of its own
POOLED, PAPER = "pooled", "paper"


@dataclass(frozen=True)
class ExperimentSettings:
    learners: tuple[str, ...] = (BASELINE, "mms", "mmr", "svm", "me", "mlr-dual")
    classes: tuple[int, ...] = (3, 5)
    moves: str = DISTANCE  # or msd
    sizes: tuple[int, ...] = ()  # training sentences; none: as many of SIZES as there are
    repeats: int = 3
    test_size: int = 0  # test sentences; 0: a tenth of the corpus, at most 1000
    features: str = "ni"
    window: int = -1
    order: int = 3
    # paper (Ni et al., section 3.2): every source phrase of the test text has a model of its own,
    # learned from its examples alone, and nothing else is trained
    protocol: str = POOLED
    min_examples: int = MIN_EXAMPLES  # without meaning in the paper's protocol
    min_count: int = 1
    max_distance: int = FARTHEST
    word_classes: int = N_CLASSES
    seed: int = 1
    threads: int = 2
    tolerance_times: bool = False  # train again to measure the time to the same error
    timed: tuple[str, ...] = ()  # further learners for which only that is measured

    @property
    def discriminative(self) -> tuple[str, ...]:
        """The learners that learn, unlike the baseline, which counts."""
        return tuple(name for name in self.learners if name != BASELINE)

    @property
    def size_names(self) -> list[str]:
        return [f"{size:,}" for size in self.sizes]

    @property
    def fewest(self) -> int:
        """Examples that a source phrase needs for a model of its own; 0: there is no other."""
        return 0 if self.protocol == PAPER else self.min_examples

    def check(self) -> None:
        """Refuses wrong settings before a corpus is read."""
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
                f"{n_pairs} sentence pairs are too few", expected="both test and training need some"
            )
        sizes = self.sizes or tuple(sorted({min(size, left) for size in SIZES}))
        for size in sizes:
            if not 1 <= size <= left:
                raise SettingError(
                    f"{size} training sentences are not possible",
                    expected=f"{n_pairs:,} pairs without {test_size:,} for testing are {left:,}",
                )
        return replace(self, sizes=tuple(sorted(sizes)), test_size=test_size)


def learner_names(text: str) -> tuple[str, ...]:
    """From `lr,mms,me:sigma=0.5`."""
    names: Sequence[str] = [name.strip() for name in text.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))
