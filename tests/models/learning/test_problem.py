"""What is refused before a learner sees it, with what message; random orders."""

import numpy as np
from scipy import sparse

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.learning.problem import (
    check_matrix,
    generator,
    make_problem,
    next_number,
    own_seed,
    shuffle,
)
from tests.refusals import refusals, refused

next_number, shuffle = map(kernel, (next_number, shuffle))  # compiled, as in use

GOOD = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 2.0]]))


def test_arrays_have_the_types_of_the_kernels():
    problem = make_problem(GOOD.astype(np.int8), np.array([1, 0], np.uint8), 3)
    assert problem.indptr.dtype == np.int64
    assert problem.indices.dtype == problem.labels.dtype == np.int32
    assert problem.data.dtype == np.float64
    assert problem[-2:] == (2, 3)
    assert make_problem(GOOD.astype(np.float32), [1, 0], 2).data.dtype == np.float32


def test_a_feature_named_twice_in_a_row_counts_once_with_the_sum():
    twice = sparse.csr_array((np.array([1.0, 2.0, 4.0]), [1, 0, 1], [0, 3]), shape=(1, 2))
    _, indices, data = check_matrix(twice)
    assert indices.tolist() == [0, 1]
    assert data.tolist() == [2.0, 5.0]
    assert twice.nnz == 3  # the caller's matrix stays as it is


@refusals(
    (sparse.csr_array((0, 2)), [], 2, "nothing to learn from: 0 examples with 2 features"),
    (sparse.csr_array((1, 0)), [0], 2, "nothing to learn from: 1 example with 0 features"),
    (GOOD, [0, 1], 0, "0 classes … expected 1 or more"),
    (GOOD, [0, 2], 2, "example 1 has the class 2 … a class from 0 to 1"),
    (GOOD, [-1, 0], 2, "example 0 has the class -1 … a class from 0 to 1"),
    (GOOD, [0.0, 1.0], 2, "classes are of type float64 … whole numbers"),
    (GOOD, [0, 1, 1], 2, "classes have the shape (3,) … (2,), one for each example"),
    (GOOD, [[0, 1]], 2, "classes have the shape (1, 2) … (2,), one for each example"),
    (np.eye(2), [0, 1], 2, "the features are a ndarray … a scipy.sparse.csr_matrix or csr_"),
    (GOOD.tocsc(), [0, 1], 2, "the features are a csc_array … a scipy.sparse.csr_matrix"),
    (GOOD * np.nan, [0, 1], 2, "feature 0 of example 0 is nan … a finite number"),
    (
        sparse.csr_array(np.array([[1, 0], [0, np.inf]])),
        [0, 1],
        2,
        "feature 1 of example 1 is inf … a finite number",
    ),
    (sparse.csr_array((1, 2**31)), [0], 2, "2,147,483,648 features are too many … at most"),
)
def test_bad_examples_are_refused(matrix, labels, n_classes):
    make_problem(matrix, labels, n_classes)


def test_another_number_of_features_is_refused():
    refused("have 2 features … expected 3, as in training", lambda: check_matrix(GOOD, 3))


def test_generator_gives_the_published_numbers_of_splitmix64():
    # the first numbers of the reference implementation for the seed 1234567
    state = generator(1234567)
    found = [int(next_number(state)) for _ in range(3)]
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_shuffles_are_permutations_and_every_order_is_as_likely():
    state = generator(5)
    counts = {}
    for _ in range(6000):
        values = np.array([0, 1, 2, 9])
        shuffle(values, 3, state)
        assert values[3] == 9
        counts[tuple(values[:3])] = counts.get(tuple(values[:3]), 0) + 1
    assert len(counts) == 6
    assert all(880 < count < 1120 for count in counts.values())  # 1000 ± 4 standard deviations


def test_seeds_of_models_differ_from_each_other_and_from_seed_to_seed():
    seeds = {own_seed(seed, number) for seed in range(20) for number in range(-1, 50)}
    assert len(seeds) == 20 * 51
    assert min(seeds) >= 0
