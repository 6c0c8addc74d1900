import numpy as np

from hyperbaton.corpus.aligning.aligner import Directions, align_without
from hyperbaton.foundation.arrays import Ragged
from tests.models.phrases.corpora import corpus_of


def test_links_are_those_of_the_rest_at_the_places_of_the_whole():
    corpus = corpus_of([
        (["kare", "wa", "hon", "o", "katta"], ["he", "bought", "The", "book"], []),
        (["wa", "wa"], ["the", "cat"], []),
        (["hon"], ["a", "book"], []),
    ])  # fmt: skip
    seen = []

    def align(rest):
        """Word by word, as far as both go; backward only the first."""
        links = []
        for number in range(3):
            sides = [side.sentence(number).words for side in (rest.source, rest.target)]
            seen.append(sides)
            links.append([(n, n) for n in range(min(map(len, sides)))])
        flat = np.array([link for own in links for link in own], np.uint16)
        offsets = np.cumsum([0, *map(len, links)])
        first = np.array([[0, 0], [0, 0]], np.uint16)
        return Directions(Ragged(flat, offsets), Ragged(first, np.array([0, 1, 1, 2])))

    forward, backward = align_without(corpus, ["wa", "o", "the", "a"], align)
    assert seen == [
        [("kare", "hon", "katta"), ("he", "bought", "book")], [(), ("cat",)], [("hon",), ("book",)]
    ]  # fmt: skip
    assert [row.tolist() for row in forward] == [[[0, 0], [2, 1], [4, 3]], [], [[0, 1]]]
    assert [row.tolist() for row in backward] == [[[0, 0]], [], [[0, 1]]]
    assert forward.values.dtype == np.uint16
