"""The laws that every distortion model must obey, for our own models and for anybody's.

    from models.distortion.conformance import check_model

    def test_my_model():
        check_model(MyModel, sentence, options)

The options may come from any phrase table; a few dozen random derivations are walked through. What
breaks a law raises an AssertionError that names it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from models.arrays import BoolArray, Int32Array, UInt64Array
from models.coverage import cover, empty_coverage, free_spans, unpack_coverage
from models.data.sentence import Sentence
from models.distortion.interface import START, DistortionModel, OptionTable, SentenceScorer, Steps

N_WALKS = 30


def check_model(
    make: Callable[[], DistortionModel],
    sentence: Sentence,
    options: OptionTable,
    seed: int = 0,
) -> None:
    """All laws, for a fitted model made by `make`."""
    model = make()
    check_description(model)
    scorer = model.prepare(sentence, options)
    steps = _walk_through(scorer, options, seed)
    check_shapes(model, scorer, steps)
    check_batches(scorer, steps)
    check_states(scorer, steps, options)
    check_saving(make, sentence, options, scorer, seed)


def check_description(model: DistortionModel) -> None:
    n_features = len(model.feature_names)
    assert n_features > 0, "a model has at least one feature"
    assert len(set(model.feature_names)) == n_features, "feature names must be distinct"
    assert len(model.initial_weights) == n_features, "one initial weight for each feature"
    again = type(model)(**model.settings())
    assert again.feature_names == model.feature_names, "settings must make the same model again"


def check_shapes(model: DistortionModel, scorer: SentenceScorer, steps: Steps) -> None:
    n_steps, n_features = len(steps.option), len(model.feature_names)
    assert scorer.n_features == n_features, "the scorer has as many features as its model names"
    values, state = scorer.features(steps), scorer.advance(steps)
    assert values.shape == (n_steps, n_features), "features must be (steps, features)"
    assert np.isfinite(values).all(), "features must be finite"
    assert state.shape == (n_steps,), "one state after each step"
    assert np.issubdtype(state.dtype, np.integer), "states are whole numbers"
    ends = scorer.finish(state)
    assert ends.shape == (n_steps, n_features), "finish must give (steps, features)"
    assert np.isfinite(ends).all(), "finish must be finite"


def check_batches(scorer: SentenceScorer, steps: Steps) -> None:
    values, state = scorer.features(steps), scorer.advance(steps)
    for number in range(len(steps.option)):
        one = steps.rows(slice(number, number + 1))
        assert np.array_equal(scorer.features(one)[0], values[number]), "a batch is its steps"
        assert scorer.advance(one)[0] == state[number], "a batch is its steps"


def check_states(scorer: SentenceScorer, steps: Steps, options: OptionTable) -> None:
    """Equal coverage and state, equal futures: whatever came before, the next step is the same."""
    examples: dict[tuple[bytes, int], int] = {}
    for number in range(len(steps.option)):
        key = steps.coverage[number].tobytes(), int(steps.state[number])
        first = examples.setdefault(key, number)
        if first == number:
            continue
        following = np.flatnonzero(_free(options, steps.coverage[number])).astype(np.int32)
        here, there = (_ahead(steps, which, following) for which in (number, first))
        message = "equal coverage and state must have equal futures"
        assert np.allclose(scorer.features(here), scorer.features(there)), message
        assert np.array_equal(scorer.advance(here), scorer.advance(there)), message


def check_saving(
    make: Callable[[], DistortionModel],
    sentence: Sentence,
    options: OptionTable,
    scorer: SentenceScorer,
    seed: int,
) -> None:
    model = make()
    with TemporaryDirectory() as folder:
        model.save(Path(folder))
        loaded = type(model)(**model.settings()).load(Path(folder))
    again = loaded.prepare(sentence, options)
    # a scorer may number its states as they come, so each walks through with its own
    one, two = (s.features(_walk_through(s, options, seed)) for s in (scorer, again))
    assert np.array_equal(one, two), "saved is loaded"


def _walk_through(scorer: SentenceScorer, options: OptionTable, seed: int) -> Steps:
    """The steps of random derivations, with the states that the model itself gives."""
    rows: list[Steps] = []
    for path in random_derivations(options, N_WALKS, seed):
        state = np.array([scorer.initial_state], np.int64)
        previous = np.array([START], np.int32)
        coverage = empty_coverage(1, options.n_words)
        for option in path:
            step = Steps(previous, np.array([option], np.int32), coverage.copy(), state)
            rows.append(step)
            state = scorer.advance(step)
            previous = step.option
            cover(coverage[0], options.start[option], options.end[option])
    return Steps(*(np.concatenate(columns) for columns in zip(*rows, strict=True)))


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


def _free(options: OptionTable, coverage: UInt64Array) -> BoolArray:
    """Options whose words are all open."""
    covered = unpack_coverage(coverage[None], options.n_words)[0]
    return free_spans(covered, options.start, options.end)


def _ahead(steps: Steps, number: int, options: Int32Array) -> Steps:
    """Steps from one hypothesis to each of the options."""
    n = len(options)
    return Steps(
        np.repeat(steps.previous[number], n),
        options,
        np.repeat(steps.coverage[number : number + 1], n, axis=0),
        np.repeat(steps.state[number], n),
    )
