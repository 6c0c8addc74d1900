import pytest

from hyperbaton.corpus.corpora.alignment import check_links, parse_links
from hyperbaton.foundation.errors import BadLine


def test_links_are_pairs_of_positions():
    assert parse_links(" 0-0\t10-2  ") == [0, 0, 10, 2]
    assert parse_links("") == []


@pytest.mark.parametrize(
    "wrong", ["0", "0-", "a-b", "0-0-0", "-1-0", "0-1\u30002-3", "9" * 12 + "-0"]
)
def test_what_is_not_a_link_is_named(wrong):
    with pytest.raises(BadLine, match="is not a link\n  links are written as 0-0 1-2") as error:
        parse_links(f"0-0 {wrong} 1-1")
    assert repr(wrong) in str(error.value)


def test_links_must_stay_inside():
    check_links([0, 0, 1, 2], 2, 3)
    for n_source, n_target in ((1, 3), (2, 2)):
        with pytest.raises(BadLine, match="link 1-2 is outside its sentence pair") as error:
            check_links([0, 0, 1, 2], n_source, n_target)
        assert error.value.expected.startswith(f"{n_source} source and {n_target} target words")
