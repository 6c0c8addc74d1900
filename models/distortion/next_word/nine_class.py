"""Nine classes of distance, outbound and inbound (Green et al. 2010; Goto et al. 2013, §4.3).

Two features: log P(class of NP − CP − 1 | CP and its context), and the same given NP and its
context. Trained by `models/distortion/next_word/distance_classes.py`.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.files.array_files import restored, saved
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.hashing import VACANT, KeyIndex, index_keys, keys_in_order
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.next_word.distance_classes import (
    N_CLASSES,
    ClassExamples,
    check_bins,
    class_log_probabilities,
    class_names,
    describe_place,
    distance_classes,
    event_places,
    number_features,
    place_keys,
    select_place_features,
)
from hyperbaton.models.distortion.next_word.events import ORDERS, find_events
from hyperbaton.models.distortion.next_word.fitting import (
    FEWEST_HELD_OUT,
    Means,
    split_held_out,
)
from hyperbaton.models.distortion.next_word.model import LogLinearModel, TopFeature, largest
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from hyperbaton.models.learning.l_bfgs import fit_weights, search_prior

DIRECTIONS = ("outbound", "inbound")
USUAL_PRIOR = 16.0  # start of the search, and prior without a search
SEARCH_PASSES = 12  # for each prior


@dataclass(frozen=True, eq=False)
class ClassModel:
    """The learned model of one direction."""

    index: KeyIndex  # of the features
    weights: NDArray[np.float32]  # (n_features + 1, N_CLASSES)
    prior: float


@dataclass(eq=False, kw_only=True)
class NineClass(LogLinearModel):
    """P(how far the next source word is) from the last one, and from the next one."""

    name: ClassVar[str] = "nine-class"

    outbound: bool = True  # use the feature of the distance given the current word
    inbound: bool = True  # use the feature of the distance given the next word
    bins: str = "goto"  # limits of the nine classes: `goto` or `green`

    @property
    def directions(self) -> tuple[str, ...]:
        return tuple(name for name in DIRECTIONS if getattr(self, name))

    @property
    def feature_names(self) -> tuple[str, ...]:
        variant = [self.bins] * (self.bins != "goto") + [self.order] * (self.order != ORDERS[0])
        return tuple(".".join([self.name, *variant, name]) for name in self.directions)

    @property
    def meanings(self) -> tuple[str, ...]:
        """Probabilities of classes of distances, so they do not sum to one over the next words."""
        given = {"outbound": "current word", "inbound": "next word"}
        return tuple(f"P(class of distance | {given[name]})" for name in self.directions)

    def fit(self, corpus: AlignedCorpus, *, threads: int = 2, progress: Progress = silent) -> Self:
        return self.fit_with(corpus, Means(threads, progress))

    def learn(self, corpus: AlignedCorpus, coder: SymbolCoder, means: Means) -> None:
        events = find_events(corpus, self.order, self.left_out)
        keys = place_keys(coder.corpus(corpus), events.word_offsets)
        classes = distance_classes(events.distortions, self.bins)
        sentence = np.repeat(np.arange(len(corpus)), np.diff(events.offsets))
        current, following = event_places(events)
        self.models_ = {
            name: self._fit(name, keys[rows], classes, sentence, means.threads, means.progress)
            for name, rows in (("outbound", current), ("inbound", following))
            if name in self.directions
        }

    def check_settings(self) -> None:
        super().check_settings()
        check_bins(self.bins)
        if not self.directions:
            raise SettingError(
                f"the model {self.name} has no features",
                expected="one of outbound and inbound must be true",
            )

    def _fit(
        self,
        name: str,
        keys: NDArray[np.int64],  # (events, templates)
        classes: NDArray[np.int64],
        sentence: NDArray[np.int64],
        threads: int,
        progress: Progress,
    ) -> ClassModel:
        chosen = select_place_features(keys, self.min_count)
        index = index_keys(chosen)
        features = number_features(index, keys, len(chosen))
        weights = np.zeros((len(chosen) + 1, N_CLASSES))
        prior = self.prior
        report = partial(progress, f"fitting {name} classes, passes")
        if not prior:
            prior = USUAL_PRIOR
            searched, held_out = split_held_out(int(sentence[-1]) + 1)
            if len(held_out) >= FEWEST_HELD_OUT:
                train, test = (
                    ClassExamples(features[chosen], classes[chosen], threads)
                    for chosen in (np.isin(sentence, searched), np.isin(sentence, held_out))
                )
                best, _, weights = search_prior(
                    train, test, weights, USUAL_PRIOR, SEARCH_PASSES, report
                )
                prior = best.prior
        examples = ClassExamples(features, classes, threads)
        fit = fit_weights(examples, weights, prior, self.passes, report)
        return ClassModel(index, fit.weights.astype(np.float32), prior)

    def table(self, sentence: Sentence) -> FloatArray:
        n_words = len(sentence)
        places = np.arange(n_words + 2)
        current, following = places[:-1, None], places[None, 1:]
        class_ = distance_classes(following - current - 1, self.bins)  # (CP, NP − 1)
        asked = {"outbound": current, "inbound": following}
        values = np.empty((n_words + 1, n_words + 1, len(self.directions)))
        for number, (name, log_p) in enumerate(self._class_log_probabilities(sentence).items()):
            values[:, :, number] = log_p[asked[name], class_]
        values[np.arange(1, n_words + 1), np.arange(n_words)] = -np.inf
        return values

    def outbound_probabilities(self, sentence: Sentence) -> FloatArray:
        """P(class of the candidate's distance | CP), (CP, NP − 1), equal for all candidates of one
        class."""
        return np.exp(self.table(sentence)[:, :, self.directions.index("outbound")])

    def distributions(self, sentence: Sentence) -> list[FloatArray]:
        """The distributions over classes for each place, (n + 2, N_CLASSES)."""
        return [np.exp(log_p) for log_p in self._class_log_probabilities(sentence).values()]

    def _class_log_probabilities(self, sentence: Sentence) -> dict[str, FloatArray]:
        keys = place_keys(self.coder_.sentence(sentence), np.array([0, len(sentence)]))
        models = {name: self.models_[name] for name in self.directions}
        return {
            name: class_log_probabilities(keys, model.index, model.weights)
            for name, model in models.items()
        }

    def top_features(self, n: int) -> list[TopFeature]:
        top: list[TopFeature] = []
        for direction, model in self.models_.items():
            names = [f"{direction} {name}" for name in class_names(self.bins)]
            keys, text = keys_in_order(model.index), lambda key: place_feature(key, self.coder_)
            top += largest(model.weights[:-1], n, keys, names, text)
        return sorted(top, key=lambda feature: -abs(feature.weight))[:n]

    def save(self, directory: Path) -> None:
        arrays: dict[str, NDArray[Any]] = {}
        for name, model in self.models_.items():
            arrays |= saved(model.index, f"{name}_") | {f"{name}_weights": model.weights}
        header = {
            "priors": {name: model.prior for name, model in self.models_.items()},
            "n_features": {name: len(model.weights) - 1 for name, model in self.models_.items()},
        }
        self.save_with_words(directory, header, arrays)

    def laws(self, arrays: CheckedArrays) -> None:
        priors = arrays.header.get("priors")
        for name in self.directions:
            known = isinstance(priors, dict) and name in priors
            arrays.that("header", known, f"lacks the prior of {name}")
            shape = (None, len(class_names(self.bins)))
            n_rows = len(arrays.floats(f"{name}_weights", np.float32, shape))
            arrays.that(f"{name}_weights", n_rows > 0, "is empty")
            arrays.hash_table(
                f"{name}_keys", f"{name}_numbers", n_rows - 1, free=VACANT, by_key=True
            )

    def load(self, directory: Path) -> Self:
        header, arrays = self.load_with_words(directory)
        self.models_ = {}
        for name, prior in header["priors"].items():
            index = restored(KeyIndex, arrays, f"{name}_")
            self.models_[name] = ClassModel(index, arrays[f"{name}_weights"], prior)
        return self


def place_feature(key: int, coder: SymbolCoder) -> str:
    """`s[-1]=kare, t[0]=V`: words and tags at offsets from the place."""
    return ", ".join(
        f"fifth of the sentence {symbol + 1}"
        if name == "fifth"
        else f"{name}={coder.text(name, symbol)}"
        for name, symbol in describe_place(key)
    )
