"""Fields of a record as options of a command."""

from dataclasses import dataclass, replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hyperbaton.commands import parameters as p
from hyperbaton.settings import Settings, load_settings

made = []


@dataclass(frozen=True, kw_only=True)
class Everything(p.Command):
    """Take everything.

    And more.
    """

    model: Path = p.argument(default=p.REQUIRED)
    words: tuple[str, ...] = p.argument()
    out: Path | None = p.option("Where it goes.", "-o", "--out")
    references: tuple[Path, ...] = p.option("May be repeated.", "--reference", default=p.REQUIRED)
    n_best: int = p.option("How many.", default=1, type=p.POSITIVE)
    share: float = p.option(default=0.0)
    quiet: bool = p.flag("Say nothing.")
    stack_size: int | None = p.option(sets="search.stack_size")
    drop_unknown: bool = p.flag("Leave out.", sets="search.drop_unknown")
    assignments: tuple[str, ...] = p.set_option()

    def run(self):
        made.append(self)


@pytest.fixture
def run():
    def run_command(*arguments):
        made.clear()
        result = CliRunner().invoke(p.command(Everything), list(arguments))
        return result, made[0] if made else None

    return run_command


def test_defaults_are_those_of_the_fields(run):
    result, record = run("m", "--reference", "r")
    assert result.exit_code == 0, result.output
    assert record == Everything(model=Path("m"), words=(), references=(Path("r"),))
    assert (record.n_best, record.share, record.quiet, record.out) == (1, 0.0, False, None)


def test_every_kind_of_value(run):
    _, record = run(
        "m", "a", "b", "-o", "x", "--reference", "r", "--reference", "s", "--n-best", "3",
        "--share", "0.5", "--quiet",
    )  # fmt: skip
    assert record == Everything(
        model=Path("m"), words=("a", "b"), out=Path("x"), references=(Path("r"), Path("s")),
        n_best=3, share=0.5, quiet=True,
    )  # fmt: skip


def test_what_is_missing_or_wrong(run):
    for arguments, message in (
        (["--reference", "r"], "Missing argument 'MODEL'"),
        (["m"], "Missing option '--reference'"),
        (["m", "--reference", ""], "the file name is empty"),
        (["m", "--reference", "r", "--n-best", "0"], "0 is not in the range x>=1"),
    ):
        result, record = run(*arguments)
        assert (result.exit_code, record) == (2, None)
        assert message in result.output


def test_the_help_is_the_docstring_and_shows_defaults(run):
    text = run("--help")[0].output
    assert "Usage: everything [OPTIONS] MODEL [WORDS]..." in text
    assert "  Take everything.\n\n  And more." in text
    assert "How many.  [default: 1; x>=1]" in text
    assert "[default: 0.0]" in text
    assert "Where it goes.\n" in text


def test_options_that_stand_for_settings():
    record = Everything(model=Path("m"), references=(Path("r"),))
    base = load_settings(["search.stack_size=7", "search.pop_limit=8"])
    assert record.settings((), ["search"]) == Settings()
    assert record.settings((), ["search"], base) == base
    changed = replace(record, stack_size=0, drop_unknown=True)  # 0 means all, and is not nothing
    search = changed.settings((), ["search"], base).search
    assert (search.stack_size, search.pop_limit, search.drop_unknown) == (0, 8, True)
    assert changed.settings(("search.stack_size=9",), ["search"], base).search.stack_size == 9


class OfCorpus(p.CorpusCommand):
    def run(self):
        """It only has files."""


def test_files_of_a_corpus_or_a_sample():
    given = {"source": Path("s"), "target": Path("t")}
    files = OfCorpus(**given).files(aligned=False)
    assert (files.source, files.target, files.alignment) == (Path("s"), Path("t"), None)
    with pytest.raises(click.UsageError, match="give --source, --target and --alignment, or --sam"):
        OfCorpus(**given).files()
    with pytest.raises(click.UsageError, match="give --source and --target, or --sample"):
        OfCorpus().files(aligned=False)
    with pytest.raises(click.UsageError, match="either --sample or corpus files, not both"):
        OfCorpus(**given, sample="ja-en").files()
    assert OfCorpus(sample="ja-en").files("dev").source.name == "dev.ja"
