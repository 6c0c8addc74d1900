"""Conformance tests: the laws that every distortion model must obey, built-in or not.

    from hyperbaton.models.distortion.conformance import check_model

    def test_my_model():
        check_model(MyModel, sentence, options)                      # nothing to learn
        check_model(MyModel, sentence, options, corpus=corpus)       # a model that learns

The options may come from any phrase table; the laws are checked along a few dozen random
derivations. A violated law raises an AssertionError that names it. Comparisons are counted, and a
law without comparisons counts as violated.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray, Ragged
from hyperbaton.foundation.coverage import free_spans, unpack_coverage
from hyperbaton.foundation.errors import DataError, NotFitted
from hyperbaton.models.distortion.derivations import derivation_features, walk
from hyperbaton.models.distortion.interface import (
    DistortionModel,
    OptionTable,
    SentenceScorer,
    Steps,
    fit_model,
)
from hyperbaton.models.distortion.tables import TableScorer

N_WALKS = 30
N_SUMS = 10  # derivations to recompute from scratch

# The features of a whole derivation, computed in a slow and obvious way, (F,)
Reference = Callable[[DistortionModel, Sentence, OptionTable, Sequence[int]], FloatArray]


class Walks(NamedTuple):
    """The steps of some derivations: the first steps of all, then the second ones, and so on."""

    steps: Steps
    paths: list[tuple[int, ...]]  # options of each derivation
    before: list[tuple[int, ...]]  # the options before each step


def check_model(
    make: Callable[[], DistortionModel],
    sentence: Sentence,
    options: OptionTable,
    seed: int = 0,
    *,
    corpus: AlignedCorpus | None = None,
    reference: Reference | None = None,
) -> dict[str, int]:
    """Checks that a distortion model keeps the contract of its interface, along a few dozen random
    derivations. A violation raises an `AssertionError` that names it.

    * `make`: a function (or the class) that constructs the model.
    * `sentence`, `options`: a sentence of some length, and its options from any phrase table.
    * `corpus`: training data, if the model learns.
    * `reference`: a slow, obvious function that computes the features of a whole derivation.

    Returns the number of comparisons by law. Laws that do not concern the model (no tables, no
    layers, no probabilities, no reference) are not in the result.
    """
    compared = {}
    for law, check in ModelLaws(make(), sentence, options, seed, corpus, reference):
        compared[law] = check()
        assert compared[law], f"the law on {law} has compared nothing; take a longer sentence"
    return compared


@dataclass
class ModelLaws:
    """Iteration yields the laws that apply to the model, in the order of checking."""

    model: DistortionModel
    sentence: Sentence
    options: OptionTable
    seed: int = 0
    corpus: AlignedCorpus | None = None
    reference: Reference | None = None

    def __iter__(self) -> Iterator[tuple[str, Callable[[], int]]]:
        yield "constructor", self.constructor
        yield "names", self.names
        if self.model.learns:
            yield "not fitted", self.not_fitted
            yield "fit", self.fit
        if self.model.requires:
            yield "layers", self.layers
        yield "shapes", self.shapes
        yield "batches", self.batches
        yield "states", self.states
        yield "sums", self.sums
        if self.reference is not None:
            yield "reference", self.referred
        if isinstance(self.scorer, TableScorer):
            yield "tables", self.tables
        if len(self.scorer.distributions()):
            yield "probabilities", self.probabilities
        yield "saving", self.saving

    @cached_property
    def scorer(self) -> SentenceScorer:
        return self.model.prepare(self.sentence, self.options)

    @cached_property
    def walks(self) -> Walks:
        return walk_through(self.scorer, self.options, self.seed)

    def constructor(self) -> int:
        """The constructor stores its arguments unchanged and does nothing else."""
        assert not self.model.learned(), "a constructor learns nothing"
        settings = self.model.settings()
        again = type(self.model)(**settings)
        for key, value in again.settings().items():
            assert value is settings[key], f"a constructor keeps its argument {key} as it is"
        message = "settings must make the same model again"
        assert again.feature_names == self.model.feature_names, message
        return 2 + len(settings)

    def names(self) -> int:
        names = self.model.feature_names
        assert names, "a model has at least one feature"
        assert len(set(names)) == len(names), "feature names must be distinct"
        assert len(self.model.initial_weights) == len(names), "one initial weight for each feature"
        return len(names)

    def not_fitted(self) -> int:
        """Use before `fit` raises `NotFitted`."""
        with TemporaryDirectory() as folder:
            uses: dict[str, Callable[[], Any]] = {
                "prepare": lambda: self.model.prepare(self.sentence, self.options),
                "save": lambda: self.model.save(Path(folder)),
            }
            for name, use in uses.items():
                try:
                    use()
                except NotFitted:
                    continue
                raise AssertionError(f"{name} before fit must raise NotFitted")
        return len(uses)

    def fit(self) -> int:
        """`fit` returns the model itself, sets learned attributes, and does not change settings."""
        assert self.corpus is not None, "a model that learns is checked with a corpus"
        model, before, phrases = self.model, self.model.settings(), self.options.phrases
        fitted = fit_model(
            model, self.corpus, phrases=phrases, seed=self.seed, threads=2, progress=lambda *_: None
        )
        assert fitted is model, "fit must return the model itself"
        assert model.learned(), "what fit learns are attributes whose names end in _"
        assert model.settings() == before, "fit must leave the settings alone"
        return 3

    def layers(self) -> int:
        """A missing layer causes an error before the search that names the model and the layer."""
        self.model.check(self.sentence)
        for layer in self.model.requires:
            said, without = "", dict[str, Any]({layer: None})
            try:
                self.model.check(replace(self.sentence, **without))
            except DataError as error:
                said = str(error)
            assert said, f"check must refuse a sentence without the layer {layer}"
            assert self.model.name in said, "the error of a missing layer must name the model"
            assert layer in said, "the error of a missing layer must name the layer"
        return len(self.model.requires)

    def shapes(self) -> int:
        scorer, steps = self.scorer, self.walks.steps
        n_steps, n_options = len(steps.option), len(self.options)
        n_features = len(self.model.feature_names)
        assert scorer.n_features == n_features, "the scorer has as many features as its model names"
        state = scorer.advance(steps)
        assert state.shape == (n_steps,), "one state after each step"
        assert np.issubdtype(state.dtype, np.integer), "states are whole numbers"
        found = {
            "features": (scorer.features(steps), n_steps),
            "finish": (scorer.finish(state), n_steps),
            "option_estimate": (scorer.option_estimate(n_options), n_options),
        }
        for name, (values, n_rows) in found.items():
            assert values.shape == (n_rows, n_features), f"{name} must be (…, features)"
            assert np.isfinite(values).all(), f"{name} must be finite"
        jumps = scorer.jump_estimate(np.full(n_features, 0.5))
        if jumps is not None:
            n_words = self.options.n_words
            assert jumps.shape == (n_words + 1, n_words), "jump_estimate must be (ends, starts)"
            assert np.isfinite(jumps).all(), "jump_estimate must be finite"
        return n_steps

    def batches(self) -> int:
        """A batch gives the same values as its steps one by one."""
        scorer, steps = self.scorer, self.walks.steps
        values, state = scorer.features(steps), scorer.advance(steps)
        ends = scorer.finish(state)
        for number in range(len(steps.option)):
            step = _rows(steps, [number])
            assert np.array_equal(scorer.features(step)[0], values[number]), "a batch is its steps"
            assert scorer.advance(step)[0] == state[number], "a batch is its steps"
            alone = scorer.finish(state[[number]])[0]
            assert np.array_equal(alone, ends[number]), "a batch is its steps"
        return len(values)

    def states(self) -> int:
        """Hypotheses with equal coverage and state have equal futures, whatever their histories.

        Only hypotheses with different histories are compared.
        """
        examples: dict[tuple[bytes, int], int] = {}
        n_compared, scorer, steps = 0, self.scorer, self.walks.steps
        for number in range(len(steps.option)):
            key = steps.coverage[number].tobytes(), int(steps.state[number])
            first = examples.setdefault(key, number)
            if self.walks.before[first] == self.walks.before[number]:
                continue
            covered = unpack_coverage(steps.coverage[[number]], self.options.n_words)[0]
            is_free = free_spans(covered, self.options.start, self.options.end)
            following = np.flatnonzero(is_free).astype(np.int32)
            here, there = (
                _rows(steps, np.full(len(following), which))._replace(option=following)
                for which in (number, first)
            )
            message = "equal coverage and state must have equal futures"
            assert np.allclose(scorer.features(here), scorer.features(there)), message
            assert np.array_equal(scorer.advance(here), scorer.advance(there)), message
            n_compared += 1
        return n_compared

    def sums(self) -> int:
        """A new scorer gives a derivation the same features as one that has scored others."""
        for path, found in self.derivations:
            fresh = self.model.prepare(self.sentence, self.options)
            message = "a derivation's features must not depend on those that were scored before"
            expected = self._alone(fresh, path)
            assert np.allclose(found, expected, atol=1e-9), message
        return len(self.derivations)

    def referred(self) -> int:
        """The sum over the steps equals the reference's features of the derivation."""
        assert self.reference is not None
        for path, found in self.derivations:
            expected = self.reference(self.model, self.sentence, self.options, path)
            message = f"the features of {path} are {found}, the reference says {expected}"
            assert np.allclose(found, expected, atol=1e-9), message
        return len(self.derivations)

    @cached_property
    def derivations(self) -> list[tuple[tuple[int, ...], FloatArray]]:
        return [(path, self._alone(self.scorer, path)) for path in self.walks.paths[:N_SUMS]]

    def _alone(self, scorer: SentenceScorer, path: Sequence[int]) -> FloatArray:
        """The features of one derivation, (F,)."""
        values: FloatArray = derivation_features(scorer, self.options, _ragged([path]))[0]
        return values

    def tables(self) -> int:
        """The values in the tables, which the search uses, equal those of the scorer."""
        scorer, steps = self.scorer, self.walks.steps
        assert isinstance(scorer, TableScorer)
        weights = np.random.default_rng(self.seed).normal(size=scorer.n_features)
        total = np.zeros(len(steps.option))
        for rows, columns, values in scorer.projected(weights):
            total += values[rows[steps.previous + 1], columns[steps.option]]
        for span, class_of, before, after in scorer.moves(weights):
            move = class_of[span[steps.previous + 1], span[steps.option + 1]]
            total += before[steps.previous + 1, move] + after[steps.option, move]
        message = "weighted tables must hold the weighted features"
        assert np.allclose(total, scorer.features(steps) @ weights), message
        states = scorer.state_of_option
        assert scorer.initial_state == states[0], "state_of_option begins with the initial state"
        message = "state_of_option must be the state after each option"
        assert np.array_equal(scorer.advance(steps), states[steps.option + 1]), message
        if scorer.finish_values is not None:
            message = "finish_values must be what finish says after each option"
            assert np.allclose(scorer.finish(states), scorer.finish_values), message
        return len(total)

    def probabilities(self) -> int:
        distributions = self.scorer.distributions()
        for values in distributions:
            assert (values >= 0).all(), "probabilities must not be negative"
            assert np.allclose(values.sum(axis=1), 1), "probabilities must sum to one"
        return sum(map(len, distributions))

    def saving(self) -> int:
        """A loaded model gives the same values, and the same files if it is saved again."""
        model = self.model
        with TemporaryDirectory() as one, TemporaryDirectory() as two:
            model.save(Path(one))
            loaded = type(model)(**model.settings()).load(Path(one))
            # a scorer may number its states in order of use, so each makes the walks itself
            first, second = (
                s.features(walk_through(s, self.options, self.seed).steps)
                for s in (self.scorer, loaded.prepare(self.sentence, self.options))
            )
            same = np.array_equal(first, second)
            assert same, "a loaded model must give what the saved one gives"
            assert loaded.requires == model.requires, "a loaded model must need the same layers"
            loaded.save(Path(two))
            assert _content(one) == _content(two), "a loaded model must save the same files"
        return len(first)


def walk_through(scorer: SentenceScorer, options: OptionTable, seed: int) -> Walks:
    """The steps of random derivations, with the model's states."""
    paths = [tuple(path) for path in _with_detours(options, N_WALKS, seed)]
    batches, before = [], []
    for n_taken, (going, steps, _) in enumerate(walk(scorer, options, _ragged(paths))):
        batches.append(steps)
        before += [paths[path][:n_taken] for path in going.tolist()]
    return Walks(Steps(*map(np.concatenate, zip(*batches, strict=True))), paths, before)


def _ragged(paths: Sequence[Sequence[int]]) -> Ragged:
    return Ragged(np.concatenate(paths).astype(np.int32), np.cumsum([0, *map(len, paths)]))


def random_derivations(options: OptionTable, n: int, seed: int) -> Iterator[list[int]]:
    """Random sequences of options that cover the sentence."""
    random = np.random.default_rng(seed)
    for _ in range(n):
        path: list[int] = []
        covered = np.zeros(options.n_words, bool)
        while not covered.all():
            free = np.flatnonzero(free_spans(covered, options.start, options.end))
            option = int(random.choice(free))
            path.append(option)
            covered[options.start[option] : options.end[option]] = True
        yield path


def _with_detours(options: OptionTable, n: int, seed: int) -> Iterator[list[int]]:
    """Random derivations, each followed by one that reaches one of its steps with the same options
    in another order."""
    random = np.random.default_rng(seed)
    for path in random_derivations(options, n, seed):
        yield path
        if len(path) > 3:
            meet = int(random.integers(2, len(path) - 1))
            yield [*random.permutation(path[:meet]).tolist(), *path[meet:]]


def _rows(steps: Steps, which: Any) -> Steps:
    return Steps._make(column[which] for column in steps)


def _content(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}
