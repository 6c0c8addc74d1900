import numpy as np

from models.learning.random_order import generator, next_number, own_seed, shuffle


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
