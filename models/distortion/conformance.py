"""The laws that every distortion model must obey, for our own models and for anybody's.

    from models.distortion.conformance import check_model

    def test_my_model():
        check_model(MyModel, sentence, options)                      # nothing to learn
        check_model(MyModel, sentence, options, corpus=corpus)       # a model that learns

The options may come from any phrase table; a few dozen random derivations are walked through. What
breaks a law raises an AssertionError that names it. A law that compares nothing is no law:
comparisons are counted, and a law that finds none where there should be some is broken as well.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import BoolArray, FloatArray, Int32Array
from models.data.corpus import AlignedCorpus
from models.data.sentence import Sentence
from models.distortion.interface import (
    START,
    DistortionModel,
    OptionTable,
    SentenceScorer,
    Steps,
    fit_model,
)
from models.errors import DataError, NotFitted

N_WALKS = 30
N_SUMS = 10  # derivations that are recomputed from scratch

# The features of a whole derivation, worked out in a slow and obvious way, (F,)
Reference = Callable[[DistortionModel, Sentence, OptionTable, Sequence[int]], FloatArray]


class Walks(NamedTuple):
    """The steps of some derivations, one after the other."""

    steps: Steps
    paths: list[tuple[int, ...]]  # options of each derivation
    before: list[tuple[int, ...]]  # of each step: the options taken before it


def check_model(
    make: Callable[[], DistortionModel],
    sentence: Sentence,
    options: OptionTable,
    seed: int = 0,
    *,
    corpus: AlignedCorpus | None = None,
    reference: Reference | None = None,
) -> dict[str, int]:
    """All laws; how many comparisons each has made.

    `make` gives the model as it was constructed, `corpus` is what it learns from, if it learns, and
    `reference` says what a derivation is worth. Laws that do not concern the model (no tables, no
    layers, no probabilities, no reference) are not in the result.
    """
    compared = {}
    for law, check in laws(make, sentence, options, seed, corpus, reference):
        compared[law] = check()
        assert compared[law], f"the law on {law} has compared nothing; take a longer sentence"
    return compared


def laws(
    make: Callable[[], DistortionModel],
    sentence: Sentence,
    options: OptionTable,
    seed: int,
    corpus: AlignedCorpus | None,
    reference: Reference | None,
) -> Iterator[tuple[str, Callable[[], int]]]:
    """The laws that concern the model, to be called one after the other as they come."""
    model = make()
    yield "constructor", lambda: check_constructor(model)
    yield "names", lambda: check_names(model)
    if model.learns:
        assert corpus is not None, "a model that learns is checked with a corpus"
        yield "not fitted", lambda: check_not_fitted(model, sentence, options)
        yield "fit", lambda: check_fit(model, corpus, options, seed)
    if model.requires:
        yield "layers", lambda: check_layers(model, sentence)
    scorer = model.prepare(sentence, options)
    walks = walk_through(scorer, options, seed)
    yield "shapes", lambda: check_shapes(model, scorer, walks.steps, len(options))
    yield "batches", lambda: check_batches(scorer, walks.steps)
    yield "states", lambda: check_states(scorer, walks, options)
    yield "sums", lambda: check_sums(model, sentence, options, scorer, walks)
    if reference is not None:
        against = reference
        yield (
            "reference",
            lambda: check_reference(model, sentence, options, scorer, walks, against),
        )
    if scorer.as_tables() is not None:
        yield "tables", lambda: check_tables(scorer, walks.steps, seed)
    if len(scorer.distributions()):
        yield "probabilities", lambda: check_probabilities(scorer)
    yield "saving", lambda: check_saving(model, sentence, options, scorer, seed)


def check_constructor(model: DistortionModel) -> int:
    """It keeps its arguments as they are, and does nothing else."""
    assert not model.learned(), "a constructor learns nothing"
    settings = model.settings()
    again = type(model)(**settings)
    for key, value in again.settings().items():
        assert value is settings[key], f"a constructor keeps its argument {key} as it is"
    assert again.feature_names == model.feature_names, "settings must make the same model again"
    return 2 + len(settings)


def check_names(model: DistortionModel) -> int:
    n_features = len(model.feature_names)
    assert n_features > 0, "a model has at least one feature"
    assert len(set(model.feature_names)) == n_features, "feature names must be distinct"
    assert len(model.initial_weights) == n_features, "one initial weight for each feature"
    return n_features


def check_not_fitted(model: DistortionModel, sentence: Sentence, options: OptionTable) -> int:
    """Use before `fit` raises `NotFitted`."""
    with TemporaryDirectory() as folder:
        uses: dict[str, Callable[[], Any]] = {
            "prepare": lambda: model.prepare(sentence, options),
            "save": lambda: model.save(Path(folder)),
        }
        for name, use in uses.items():
            try:
                use()
            except NotFitted:
                continue
            raise AssertionError(f"{name} before fit must raise NotFitted")
    return len(uses)


def check_fit(
    model: DistortionModel, corpus: AlignedCorpus, options: OptionTable, seed: int
) -> int:
    """`fit` returns the model itself, has learned something, and leaves the settings alone."""
    before = model.settings()
    found = fit_model(
        model, corpus, phrases=options.phrases, seed=seed, threads=2, progress=lambda *_: None
    )
    assert found is model, "fit must return the model itself"
    assert model.learned(), "what fit learns are attributes whose names end in _"
    assert model.settings() == before, "fit must leave the settings alone"
    return 3


def check_shapes(
    model: DistortionModel, scorer: SentenceScorer, steps: Steps, n_options: int
) -> int:
    n_steps, n_features = len(steps.option), len(model.feature_names)
    assert scorer.n_features == n_features, "the scorer has as many features as its model names"
    state = scorer.advance(steps)
    assert state.shape == (n_steps,), "one state after each step"
    assert np.issubdtype(state.dtype, np.integer), "states are whole numbers"
    found = {
        "features": (scorer.features(steps), n_steps),
        "finish": (scorer.finish(state), n_steps),
        "coverage_estimate": (scorer.coverage_estimate(steps.coverage, steps.state), n_steps),
        "option_estimate": (scorer.option_estimate(n_options), n_options),
    }
    for name, (values, n_rows) in found.items():
        assert values.shape == (n_rows, n_features), f"the shape of {name} must be (…, features)"
        assert np.isfinite(values).all(), f"{name} must be finite"
    return n_steps


def check_batches(scorer: SentenceScorer, steps: Steps) -> int:
    """A batch gives what its steps give one by one."""
    values, state = scorer.features(steps), scorer.advance(steps)
    ends = scorer.finish(state)
    for number in range(len(steps.option)):
        one = steps.rows(slice(number, number + 1))
        assert np.array_equal(scorer.features(one)[0], values[number]), "a batch is its steps"
        assert scorer.advance(one)[0] == state[number], "a batch is its steps"
        alone = scorer.finish(state[number : number + 1])[0]
        assert np.array_equal(alone, ends[number]), "a batch is its steps"
    return len(values)


def check_states(scorer: SentenceScorer, walks: Walks, options: OptionTable) -> int:
    """Equal coverage and state, equal futures: whatever came before, the next step is the same.

    Only hypotheses with different pasts are compared.
    """
    examples: dict[tuple[bytes, int], int] = {}
    n_compared, steps = 0, walks.steps
    for number in range(len(steps.option)):
        key = steps.coverage[number].tobytes(), int(steps.state[number])
        first = examples.setdefault(key, number)
        if walks.before[first] == walks.before[number]:
            continue
        following = np.flatnonzero(_free(options, steps.coverage[number])).astype(np.int32)
        here, there = (_ahead(steps, which, following) for which in (number, first))
        message = "equal coverage and state must have equal futures"
        assert np.allclose(scorer.features(here), scorer.features(there)), message
        assert np.array_equal(scorer.advance(here), scorer.advance(there)), message
        n_compared += 1
    return n_compared


def check_sums(
    model: DistortionModel,
    sentence: Sentence,
    options: OptionTable,
    scorer: SentenceScorer,
    walks: Walks,
) -> int:
    """A derivation is worth the same to a scorer that has seen no other one before."""
    for path in walks.paths[:N_SUMS]:
        fresh = derivation_features(model.prepare(sentence, options), options, path)
        found = derivation_features(scorer, options, path)
        message = "a derivation's features must not depend on those that were scored before"
        assert np.allclose(found, fresh, atol=1e-9), message
    return len(walks.paths[:N_SUMS])


def check_reference(
    model: DistortionModel,
    sentence: Sentence,
    options: OptionTable,
    scorer: SentenceScorer,
    walks: Walks,
    reference: Reference,
) -> int:
    """The sum over the steps is what a slow and obvious scorer says of the derivation."""
    for path in walks.paths[:N_SUMS]:
        found = derivation_features(scorer, options, path)
        expected = reference(model, sentence, options, path)
        message = f"the features of {path} are {found}, the reference says {expected}"
        assert np.allclose(found, expected, atol=1e-9), message
    return len(walks.paths[:N_SUMS])


def check_tables(scorer: SentenceScorer, steps: Steps, seed: int) -> int:
    """What the search looks up in the tables is what the scorer says."""
    tables = scorer.as_tables()
    assert tables is not None
    weights = np.random.default_rng(seed).normal(size=scorer.n_features)
    total = np.zeros(len(steps.option))
    for rows, columns, values in tables.projected(weights):
        total += values[rows[steps.previous + 1], columns[steps.option]]
    message = "weighted tables must hold the weighted features"
    assert np.allclose(total, scorer.features(steps) @ weights), message
    states = tables.state_of_option
    assert scorer.initial_state == states[0], "state_of_option begins with the initial state"
    message = "state_of_option must be the state after each option"
    assert np.array_equal(scorer.advance(steps), states[steps.option + 1]), message
    if tables.finish_values is not None:
        message = "finish_values must be what finish says after each option"
        assert np.allclose(scorer.finish(states), tables.finish_values), message
    return len(total)


def check_saving(
    model: DistortionModel,
    sentence: Sentence,
    options: OptionTable,
    scorer: SentenceScorer,
    seed: int,
) -> int:
    """A loaded model gives the same values, and the same files if it is saved again."""
    with TemporaryDirectory() as one, TemporaryDirectory() as two:
        model.save(Path(one))
        loaded = type(model)(**model.settings()).load(Path(one))
        again = loaded.prepare(sentence, options)
        # a scorer may number its states as they come, so each walks through with its own
        first, second = (s.features(walk_through(s, options, seed).steps) for s in (scorer, again))
        assert np.array_equal(first, second), "a loaded model must give what the saved one gives"
        assert loaded.requires == model.requires, "a loaded model must need the same layers"
        loaded.save(Path(two))
        assert _content(one) == _content(two), "a loaded model must save the same files"
    return len(first)


def check_probabilities(scorer: SentenceScorer) -> int:
    n_compared = 0
    for values in scorer.distributions():
        assert (values >= 0).all(), "probabilities must not be negative"
        assert np.allclose(values.sum(axis=1), 1), "probabilities must sum to one"
        n_compared += len(values)
    return n_compared


def check_layers(model: DistortionModel, sentence: Sentence) -> int:
    """A missing layer is an error before the search, which names the model and the layer."""
    model.check(sentence)
    for layer in model.requires:
        said, without = "", dict[str, Any]({layer: None})
        try:
            model.check(replace(sentence, **without))
        except DataError as error:
            said = str(error)
        assert said, f"check must refuse a sentence without the layer {layer}"
        assert model.name in said, "the error of a missing layer must name the model"
        assert layer in said, "the error of a missing layer must name the layer"
    return len(model.requires)


def walk_through(scorer: SentenceScorer, options: OptionTable, seed: int) -> Walks:
    """The steps of random derivations, with the states that the model itself gives."""
    rows: list[Steps] = []
    before: list[tuple[int, ...]] = []
    paths = [tuple(path) for path in _with_detours(options, N_WALKS, seed)]
    for path in paths:
        rows += _steps(scorer, options, path)
        before += [path[:n_taken] for n_taken in range(len(path))]
    return Walks(Steps(*(np.concatenate(c) for c in zip(*rows, strict=True))), paths, before)


def derivation_features(
    scorer: SentenceScorer, options: OptionTable, path: Sequence[int]
) -> FloatArray:
    """The features of a derivation, summed over its steps and its end, (F,)."""
    steps = _steps(scorer, options, path)
    total = sum((scorer.features(step)[0] for step in steps), np.zeros(scorer.n_features))
    result: FloatArray = total + scorer.finish(scorer.advance(steps[-1]))[0]
    return result


def random_derivations(options: OptionTable, n: int, seed: int) -> Iterator[list[int]]:
    """Random sequences of options that cover the sentence."""
    random = np.random.default_rng(seed)
    for _ in range(n):
        path: list[int] = []
        covered = np.zeros(options.n_words, bool)
        while not covered.all():
            free = [
                option
                for option in range(len(options))
                if not covered[options.start[option] : options.end[option]].any()
            ]
            option = int(random.choice(free))
            path.append(option)
            covered[options.start[option] : options.end[option]] = True
        yield path


def _with_detours(options: OptionTable, n: int, seed: int) -> Iterator[list[int]]:
    """Random derivations, each followed by one that comes to one of its steps by another way: the
    same options were taken before, the last one was the same."""
    random = np.random.default_rng(seed)
    for path in random_derivations(options, n, seed):
        yield path
        if len(path) > 3:
            meet = int(random.integers(2, len(path) - 1))
            yield [*random.permutation(path[:meet]).tolist(), *path[meet:]]


def _steps(scorer: SentenceScorer, options: OptionTable, path: Sequence[int]) -> list[Steps]:
    """The steps of a derivation, each a batch of its own."""
    steps = []
    state = np.array([scorer.initial_state], np.int64)
    previous = np.array([START], np.int32)
    coverage = np.zeros((1, max(1, (options.n_words + 63) // 64)), np.uint64)
    for option in path:
        steps.append(Steps(previous, np.array([option], np.int32), coverage.copy(), state))
        state, previous = scorer.advance(steps[-1]), steps[-1].option
        for place in range(options.start[option], options.end[option]):
            coverage[0, place >> 6] |= np.uint64(1) << np.uint64(place & 63)
    return steps


def _free(options: OptionTable, coverage: NDArray[np.uint64]) -> BoolArray:
    """Options whose words are all open."""
    places = np.arange(options.n_words)
    covered = (coverage[places >> 6] >> (places & 63).astype(np.uint64)) & np.uint64(1) != 0
    before = np.concatenate([[0], np.cumsum(covered)])
    free: BoolArray = before[options.end] == before[options.start]
    return free


def _ahead(steps: Steps, number: int, options: Int32Array) -> Steps:
    """Steps from one hypothesis to each of the options."""
    n = len(options)
    return Steps(
        np.repeat(steps.previous[number], n),
        options,
        np.repeat(steps.coverage[number : number + 1], n, axis=0),
        np.repeat(steps.state[number], n),
    )


def _content(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}
