import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hyperbaton.corpus.aligning.symmetrisation import METHODS, symmetrise
from hyperbaton.foundation.errors import SettingError
from tests.mapped_arrays import ragged_links
from tests.refusals import refusals

BLOCK = [(-1, 0), (0, -1), (1, 0), (0, 1)]  # target and source
CORNERS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def slow_twin(forward, backward, method):
    """One pair, (source, target) links in sets, as the algorithm is published."""
    if method == "intersection":
        return forward & backward
    if method == "union":
        return forward | backward
    neighbours = BLOCK + CORNERS if "diag" in method else BLOCK
    union = {(target, source) for source, target in forward | backward}
    chosen = {(target, source) for source, target in forward & backward}

    def uncovered(link):
        target_is = all(target != link[0] for target, _ in chosen)
        source_is = all(source != link[1] for _, source in chosen)
        return target_is + source_is

    added = True
    while added:
        added, done = False, (-1, -1)
        while following := sorted(link for link in chosen if link > done):
            done = following[0]
            for target, source in neighbours:
                near = (done[0] + target, done[1] + source)
                if near in union and uncovered(near):
                    chosen.add(near)
                    added = True
    if "final" in method:
        for direction in (forward, backward):
            for link in sorted((target, source) for source, target in direction):
                if uncovered(link) >= (2 if method.endswith("-and") else 1):
                    chosen.add(link)
    return {(source, target) for target, source in chosen}


def symmetrised(forward, backward, method):
    """Of one pair, as a set."""
    result = symmetrise(ragged_links([forward]), ragged_links([backward]), method)
    return set(map(tuple, result[0].tolist()))


positions = st.integers(0, 6)
link_sets = st.sets(st.tuples(positions, positions), max_size=14)


@st.composite
def directed(draw):
    """What aligners make: forward a source word per target word, backward the reverse."""
    forward = draw(st.dictionaries(positions, positions, max_size=7))
    backward = draw(st.dictionaries(positions, positions, max_size=7))
    return {(s, t) for t, s in forward.items()}, set(backward.items())


both_directions = st.one_of(directed(), st.tuples(link_sets, link_sets))


@pytest.mark.parametrize(
    ("method", "added"),
    [
        ("intersection", []),
        # beside 2-2, right of its own target word
        ("grow", [(3, 2)]),
        # 4-3 touches 3-2 at a corner; 0-0 touches nothing
        ("grow-diag", [(3, 2), (4, 3)]),
        # forward first, 0-0; then 0-5 for the sake of target 5, and 6-0 for source 6
        ("grow-diag-final", [(3, 2), (4, 3), (0, 0), (0, 5), (6, 0)]),
        # 0-0 links two uncovered words; after it 0-5 and 6-0 link only one
        ("grow-diag-final-and", [(3, 2), (4, 3), (0, 0)]),
        ("grow-final", [(3, 2), (4, 3), (0, 0), (0, 5), (6, 0)]),
        ("union", [(3, 2), (4, 3), (0, 0), (0, 5), (6, 0), (2, 6)]),
    ],
)
def test_an_example_worked_by_hand(method, added):
    # 2-6 and 2-2 share source 2; 7-6 is in both directions, so that 2-6 never links a new word
    agreed = {(2, 2), (7, 6)}
    forward = agreed | {(0, 0), (0, 5), (4, 3)}
    backward = agreed | {(3, 2), (6, 0), (2, 6)}
    assert symmetrised(forward, backward, method) == agreed | set(added)


def test_block_neighbours_come_before_corners():
    # 1-0 covers target 0 and 0-1 covers source 0: the corner 0-0 comes too late
    forward, backward = {(1, 1), (1, 0)}, {(1, 1), (0, 1), (0, 0)}
    assert symmetrised(forward, backward, "grow-diag") == {(1, 1), (1, 0), (0, 1)}


def test_of_four_corners_the_last_is_refused():
    # 0-0, 2-0 and 0-2 cover all words around 1-1 before 2-2 is looked at
    corners = {(0, 0), (2, 0), (0, 2)}
    assert symmetrised({(1, 1), (2, 2)} | corners, {(1, 1)}, "grow-diag") == {(1, 1)} | corners


def test_links_are_visited_by_target():
    # 2-0 (target 0) takes source 1 with 1-0, before 0-2 (source 0) could take it with 1-2
    agreed = {(0, 2), (2, 0)}
    assert symmetrised(agreed | {(1, 2)}, agreed | {(1, 0)}, "grow") == agreed | {(1, 0)}


def test_the_final_step_prefers_the_forward_direction():
    forward, backward = {(0, 1)}, {(0, 0)}
    assert symmetrised(forward, backward, "grow-diag-final-and") == {(0, 1)}
    assert symmetrised(backward, forward, "grow-diag-final-and") == {(0, 0)}


@pytest.mark.parametrize("method", METHODS)
@given(st.lists(both_directions, max_size=5))
# growth that runs against the order of visits, one link a pass
@example([({(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)}, {(4, 4)})])
def test_a_corpus_agrees_with_the_slow_twin(method, pairs):
    result = symmetrise(
        ragged_links([f for f, _ in pairs]), ragged_links([b for _, b in pairs]), method
    )
    expected = [sorted(slow_twin(f, b, method)) for f, b in pairs]
    assert [list(map(tuple, links.tolist())) for links in result] == expected
    assert result.values.dtype == np.uint16
    assert result.values.shape == (sum(map(len, expected)), 2)


@given(link_sets, link_sets, st.randoms(use_true_random=False))
def test_order_and_repetitions_of_the_input_do_not_matter(forward, backward, random):
    shuffled = random.sample([*forward, *forward], 2 * len(forward))
    for method in METHODS:
        assert symmetrised(shuffled, backward, method) == symmetrised(forward, backward, method)


def test_the_last_word_of_one_row_is_no_neighbour_of_the_first_of_the_next():
    # 65535 is the last position that 16 bits hold
    corner = {(65535, 0)}
    assert symmetrised(corner | {(0, 1)}, corner, "grow-diag") == corner
    corner = {(0, 65535)}
    assert symmetrised(corner | {(65535, 65534)}, corner, "grow-diag") == corner


@refusals(
    ([], [], "grow-dig", "'grow-dig' … did you mean grow-diag", SettingError),
    ([[]], [[], []], "union", "1 and 2 sentence pairs"),
)
def test_refusals(forward, backward, method):
    symmetrise(ragged_links(forward), ragged_links(backward), method)
