"""Features of n-best lists: read from lists and files, made by functions, refused."""

import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.evaluation.nbest_lists import (
    add_features,
    parse_features,
    read_feature_lists,
)
from tests.refusals import refusals, refused

LISTS = """0 ||| a b ||| lm= -1 msd= 0 -2 ||| -2.5 ||| 0-0
0 ||| a ||| lm= -1.5 msd= 1 -3 ||| -3
2 ||| c ||| lm= 0 msd= 2 0 ||| 0
"""


def length(source, hypotheses):
    return [len(text) + (0 if source is None else 100 * len(source)) for text in hypotheses]


def too_few(_source, hypotheses):
    return hypotheses[1:] and [0.0]


def no_numbers(_source, hypotheses):
    return [float("nan")] * len(hypotheses)


not_a_function = 3


@pytest.fixture
def lists(write):
    return read_feature_lists(write("l.nbest", LISTS))


def test_features_of_the_lists(lists):
    assert lists.names == ("score", "lm", "msd.0", "msd.1")
    assert lists.values.tolist() == [[-2.5, -1, 0, -2], [-3, -1.5, 1, -3], [0, 0, 2, 0]]
    assert (lists.offsets.tolist(), lists.sentences) == ([0, 2, 3], [0, 2])


def test_features_of_files_and_functions(lists, write):
    path = write("numbers", "1\n-2e3\n0.5\n")
    place = f"{__name__}:length"
    added = add_features(lists, [f"neural={path}", f"length={place}"], ["x", "", "xyz"])
    assert added.names == (*lists.names, "neural", "length")
    assert added.n_added == 2
    assert added.values[:, 4:].tolist() == [[1, 103], [-2000, 101], [0.5, 301]]
    alone = add_features(lists, [f"length={place}"])
    assert alone.values[:, 4].tolist() == [3, 1, 1]


def test_lists_without_features(write):
    lists = read_feature_lists(write("l", "0 ||| a ||| ||| 1\n"))
    assert (lists.names, lists.values.tolist()) == (("score",), [[1.0]])


@refusals(
    ("", "l: has no entries"),
    ("0 ||| a ||| lm= x ||| 1\n", "l:1: the feature lm has 'x' … a finite number"),
    ("0 ||| a ||| lm= nan ||| 1\n", "l:1: the feature lm has 'nan'"),
    ("0 ||| a ||| -1 ||| 1\n", "l:1: '-1' has no feature name before it"),
    ("0 ||| a ||| lm= 1 lm= 2 ||| 1\n", "l:1: has a feature twice"),
    ("0 ||| a ||| score= 1 ||| 1\n", "l: has a feature named 'score'"),
    (
        "0 ||| a ||| lm= 1 ||| 1\n0 ||| b ||| lm= 1 2 ||| 1\n",
        "l:2: has the features lm.0 lm.1 … the first entry has lm",
    ),
    ("0 ||| a ||| 1\n", "l:1: not an entry of an n-best list"),
)
def test_wrong_lists(write, text):
    read_feature_lists(write("l", text))


@refusals(
    ("1\n2\n", "f: has 2 lines … l.nbest has 3 entries"),
    ("1\n2\n3\n4\n", "f: has 4 lines … l.nbest has 3 entries"),
    ("1\nnan\n3\n", "f:2: the line has 'nan' … a finite number"),
    ("1\n\n3\n", "f:2: the line has ''"),
)
def test_wrong_files(lists, write, content):
    add_features(lists, [f"x={write('f', content)}"])


@refusals(
    ("too_few", ":too_few: returned [0.] for sentence 0 with 2 translations"),
    ("no_numbers", "returned [nan nan] … a finite number for each"),
    ("not_a_function", "is not callable", SettingError),
    ("missing", "the function for a feature ' … :missing' cannot be loaded", SettingError),
)
def test_wrong_functions(lists, name):
    add_features(lists, [f"x={__name__}:{name}"])


@pytest.mark.parametrize("text", ["x", "=f", "x=", "a b=f"])
def test_what_is_no_feature(lists, text):
    refused("is not a feature … name=FILE", lambda: add_features(lists, [text]), SettingError)


def test_a_name_that_is_taken(lists, write):
    with pytest.raises(SettingError, match="two features 'lm'"):
        add_features(lists, [f"lm={write('f', '1 2 3'.replace(' ', chr(10)))}"])


def test_lists_of_sentences_that_another_file_lacks(lists):
    lists.check_sentences(3, "x")
    refused("has a list of sentence 2 … x has 2 lines", lambda: lists.check_sentences(2, "x"))


def test_values_stay_numbers():
    assert parse_features("a= 1e-3 b= 2") == (("a", "b"), [0.001, 2.0])
