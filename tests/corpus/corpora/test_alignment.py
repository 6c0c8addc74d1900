import pytest

from hyperbaton.corpus.corpora.alignment import check_links, parse_links
from hyperbaton.foundation.errors import BadLine
from tests.refusals import refused


def test_links_are_pairs_of_positions():
    assert parse_links(" 0-0\t10-2  ") == [0, 0, 10, 2]
    assert parse_links("") == []


@pytest.mark.parametrize(
    "wrong", ["0", "0-", "a-b", "0-0-0", "-1-0", "0-1\u30002-3", "9" * 12 + "-0"]
)
def test_what_is_not_a_link_is_named(wrong):
    refused(f"{wrong!r} … 0-0 1-2", lambda: parse_links(f"0-0 {wrong} 1-1"), BadLine)


def test_links_must_stay_inside():
    links = [0, 0, 1, 2]
    check_links(links, 2, 3)
    refused("1-2 … 1 source and 3 target words", lambda: check_links(links, 1, 3), BadLine)
    refused("1-2 … 2 source and 2 target words", lambda: check_links(links, 2, 2), BadLine)
