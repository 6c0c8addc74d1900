"""`hyperbaton prune`."""

import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.models.system.folder import load_phrases, read_system
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from tests.command_line import refuses, run


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prune")
    (folder / "s").write_text("hon o katta\nhon o yonda\nkare wa itta\nhon\n" * 2)
    (folder / "t").write_text("bought a book\nread a book\nhe went\nbooks\n" * 2)
    (folder / "a").write_text("0-2 2-0\n0-2 2-0\n0-0 2-1\n0-0\n" * 2)
    files = CorpusFiles(folder / "s", folder / "t", folder / "a")
    train_system(files, folder / "m", TrainingSettings(distortion=("linear", "pair")))
    return folder / "m"


def files_in(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}


def test_a_new_system_without_what_is_dropped(system, tmp_path):
    before = files_in(system)
    result = run("prune", system, "--top", 1, "--out", tmp_path / "small")
    assert "of 20 phrase pairs in" in result.stderr
    assert f"pruned: {tmp_path / 'small'}" in result.stderr
    assert files_in(system) == before
    old, new = read_system(system), read_system(tmp_path / "small")
    assert new["weights"] == old["weights"]
    assert new["pruned"] == [{"min_count": 0, "significance": "none", "top": 1}]
    assert {*new["parts"]} == {*old["parts"]}
    table = load_phrases(tmp_path / "small")
    assert max(table.entry_begin[1:] - table.entry_begin[:-1]) == 1
    for model in (system, tmp_path / "small"):
        translated = run("translate", model, input="hon o katta\n")
        assert translated.stdout.strip()


def test_the_system_itself_becomes_smaller(system, tmp_path):
    run("prune", system, "--min-count", 2, "--out", tmp_path / "m")
    n = len(load_phrases(tmp_path / "m"))
    run("prune", tmp_path / "m", "--significance", "a-e", "--top", 2)
    assert 0 < len(load_phrases(tmp_path / "m")) < n
    assert [each["top"] for each in read_system(tmp_path / "m")["pruned"]] == [0, 2]
    parts = [path.name for path in (tmp_path / "m" / "parts").iterdir()]
    assert len([name for name in parts if name.startswith("phrases-")]) == 1


@pytest.mark.parametrize(
    ("options", "code", "facts"),
    [
        ("", 2, "--min-count, --top and --significance"),
        ("--top -1", 2, "Invalid value for '--top'"),
        ("--significance big", 2, "'big' is not a significance threshold"),
        ("--min-count 99", 1, "all 20 phrase pairs would be dropped … lower"),
    ],
)
def test_what_cannot_be_done_is_said(system, tmp_path, options, code, facts):
    refuses(facts, code, "prune", system, *options.split(), "--out", tmp_path / "new")
    assert not (tmp_path / "new" / "model.toml").exists()
