"""Moses' format of rule tables, and systems of them."""

import gzip

import numpy as np
import pytest

from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import BadLine, DataError
from hyperbaton.foundation.progress import Reporter
from hyperbaton.models.rules.building import train_rules
from hyperbaton.models.rules.moses_table import read_rule_table, write_rule_table
from hyperbaton.models.rules.settings import MOST_SYMBOLS
from hyperbaton.models.system.moses_exchange import export_moses, import_moses
from tests.models.phrases.corpora import corpus_of
from tests.models.rules import oracles
from tests.models.rules.test_table import spelled
from tests.refusals import refused

# The rules of Moses' tutorial on syntax models are of this form
LINES = """\
[X][X] hon [X][X] [X] ||| [X][X] a book [X][X] [X] ||| 0.5 0.25 0.125 1 ||| 0-3 1-2 2-0 ||| 4 2 1 ||| |||
kare [X] ||| he [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1
wa [X][X] [X] ||| [X][X] [X] ||| 0.1 0.2 0.3 0.4 ||| 1-0 |||
"""  # noqa: E501


def test_a_table_read_by_hand(write):
    table, n_left_out = read_rule_table(write("table", LINES))
    rules = spelled(table)
    assert set(rules) == {
        (("X", "hon", "X"), (2, "a", "book", 1)),
        (("kare",), ("he",)),
        (("wa", "X"), (1,)),
    }
    rule = rules[("X", "hon", "X"), (2, "a", "book", 1)]
    assert np.exp(table.scores_of(rule)) == pytest.approx([0.5, 0.25, 0.125, 1])
    assert table.counts_of(rule).tolist() == [4, 2, 1]
    assert int(table.inner_of(rule)) == 1 << (MOST_SYMBOLS * 2 + 1)
    assert n_left_out == 0


def test_a_written_table_is_read_as_it_was(tmp_path):
    table = train_rules(corpus_of(oracles.random_pairs(40, seed=11)))
    write_rule_table(table, tmp_path / "rules.gz")
    again, n_left_out = read_rule_table(tmp_path / "rules.gz")
    ours, theirs = spelled(table), spelled(again)
    assert ours.keys() == theirs.keys()
    assert len(ours) > 500
    assert n_left_out == 0
    for pair, rule in ours.items():
        assert again.scores_of(theirs[pair]) == pytest.approx(table.scores_of(rule), abs=1e-4)
        assert again.counts_of(theirs[pair]) == pytest.approx(table.counts_of(rule), rel=1e-4)
        assert again.inner_of(theirs[pair]) == table.inner_of(rule)
    with gzip.open(tmp_path / "rules.gz", "rt") as lines:
        texts = lines.readlines()
    assert texts == sorted(texts)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("a ||| b [X] ||| 1 1 1 1 ||| 0-0", "has no label … [X]"),
        ("a [X][X] [X] ||| b [X][X] [X] ||| 1 1 1 1 ||| 0-0", "gaps are not linked"),
        ("a [X][X] [X] ||| b [X] ||| 1 1 1 1 ||| 0-0", "gaps are not linked"),
        ("a [X] ||| b [X] ||| 1 1 1 1 ||| 0-1", "0-1 … outside"),
        ("a [NP][NP] [X] ||| b [NP][NP] [X] ||| 1 1 1 1 ||| 1-1", "unknown gap [NP][NP]"),
        ("a [X] ||| b [X] ||| 1 1 1 ||| 0-0", "not 4 numbers"),
        ("a [X] ||| b [X] ||| 1 1 1 2 ||| 0-0", "2 is not a probability"),
    ],
)
def test_malformed_rules_are_refused(write, line, error):
    refused(f"table:1: … {error}", lambda: read_rule_table(write("table", f"{line}\n")), BadLine)


def test_rules_are_not_listed_twice(write):
    line = "a [X] ||| b [X] ||| 1 1 1 1 ||| 0-0\n"
    path = write("table", 2 * line)
    refused("table:2: … listed twice", lambda: read_rule_table(path), BadLine)


def test_rules_of_another_form_are_left_out_and_counted(write):
    lines = (
        "[X][X] [X][X] a [X] ||| [X][X] [X][X] a [X] ||| 1 1 1 1 ||| 0-0 1-1 2-2\n"  # adjacent
        "[X][X] [X] ||| b [X][X] [X] ||| 1 1 1 1 ||| 0-1\n"  # no word
        "a b c d e f g [X] ||| a [X] ||| 1 1 1 1 ||| 0-0\n"  # too long
    )
    table, n_left_out = read_rule_table(write("table", f"{lines}a [X] ||| b [X] ||| 1 1 1 1\n"))
    assert (len(table), n_left_out) == (1, 3)
    empty = write("empty", "")
    refused("contains no rules", lambda: read_rule_table(empty), DataError)


def test_an_exported_system_comes_back_and_translates_alike(tmp_path):
    import hyperbaton

    pairs = oracles.random_pairs(30, seed=12)
    sides = [[" ".join(pair[k]) for pair in pairs] for k in (0, 1)]
    system = hyperbaton.train(
        source=sides[0], target=sides[1], alignment=[pair[2] for pair in pairs],
        out=tmp_path / "system", grammar="hierarchical", lm={"order": 3}, threads=1,
    )  # fmt: skip
    export_moses(tmp_path / "system", tmp_path / "moses")
    said = []
    reporter = Reporter(talk=said.append)
    import_moses(tmp_path / "moses" / "moses.ini", tmp_path / "again", reporter)
    again = Translator.load(tmp_path / "again")
    assert again.weights == system.weights
    assert not any("left out" in line for line in said)
    assert len(said) == 2  # the parts
    for text in ("abc abc", "a b c a", "c c b"):
        lists = [one.n_best(text, 20) for one in (system, again)]
        scores = [[result.score for result in found] for found in lists]
        assert scores[0] == pytest.approx(scores[1], abs=1e-3)
        assert lists[0][0].text == lists[1][0].text
    ini = (tmp_path / "moses" / "moses.ini").read_text()
    assert "[search-algorithm]\n3\n" in ini
    assert "[X][S] [X][X] [X]" in (tmp_path / "moses" / "glue-grammar").read_text()


def test_a_configuration_needs_one_rule_table(write):
    ini = write("moses.ini", "[search-algorithm]\n3\n[feature]\nKENLM name=LM0 path=lm\n")
    refused("0 rule tables", lambda: import_moses(ini, ini.parent / "out"))
