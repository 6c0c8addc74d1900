"""`hyperbaton compile` runs other commands, in processes of its own."""

from itertools import pairwise

import pytest

from hyperbaton.commands.compile import N_LINES, NOT_IN_DEMO, chains, run_chains
from hyperbaton.foundation.errors import DataError
from hyperbaton.main import cli
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.system.moses_exchange import import_moses
from hyperbaton.tuning.reproduction.presets import find_preset


def test_its_commands_exist_and_accept_their_arguments(tmp_path):
    names = []
    for chain in chains(tmp_path).values():
        for name, *arguments in chain:
            command = cli.get_command(cli.make_context("hyperbaton", [name]), name)
            command.make_context(name, arguments)  # an error of usage if it cannot be called so
            names.append(name)
    assert {"import", "train", "translate", "tune", "evaluate"} <= set(names)
    assert len((tmp_path / "source").read_text().splitlines()) == N_LINES


def test_the_demo_needs_all_chains_but_those_of_models_that_it_does_not_compare(tmp_path):
    wanted = {
        word.partition(",")[0]
        for name, chain in chains(tmp_path).items()
        if name not in NOT_IN_DEMO
        for command in chain
        for option, word in pairwise(command)
        if option == "--distortion"
    }
    compared = {model for system in find_preset("all").system for model in system.distortion}
    assert wanted >= {model.partition(",")[0] for model in compared} - {"linear"}
    assert set(NOT_IN_DEMO) < set(chains(tmp_path))


def test_its_small_system_can_be_imported(tmp_path):
    chains(tmp_path)
    import_moses(tmp_path / "moses.ini", tmp_path / "small")
    [lm] = (tmp_path / "small" / "parts").glob("lm*")
    assert LanguageModel.load(lm).score(["b"]) == pytest.approx(-0.6 * 2.302585093, abs=1e-6)


def test_chains_run_beside_each_other_and_in_order(tmp_path):
    corpus = ["corpus", "--sample", "ja-en", "--split", "dev"]
    run_chains([[corpus, ["info"]], [["info"]]], tmp_path)
    first, second = ((tmp_path / f"chain-{n}.log").read_text() for n in (0, 1))
    assert first.index("hyperbaton corpus") < first.index("hyperbaton info")
    assert "hyperbaton corpus" not in second
    assert "nine-class" in second


def test_the_last_words_of_a_failing_command_are_told(tmp_path):
    with pytest.raises(DataError, match="no-such-folder"):
        run_chains([[["info"]], [["translate", "no-such-folder"], ["info"]]], tmp_path)
    assert "hyperbaton info" not in (tmp_path / "chain-1.log").read_text()
