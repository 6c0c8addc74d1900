"""Commands that the program or the documents advise: they exist, and run as advised.

Documents run their own blocks (tests/test_documents.py). Here are the examples in the help texts,
which are run on small files with the same names, and all commands in running text and in messages,
whose options must exist.
"""

import ast
import gzip
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.foundation.errors import SettingError
from hyperbaton.main import COMMANDS, cli, main
from hyperbaton.models.system.training import train_system
from hyperbaton.samples import sample_files
from tests.test_documents import (
    DOCUMENTS,
    ROOT,
    can_be_run,
    hurry,
    own_files,
    run,
    run_here,
)
from tests.tuning.comparison.tiny import in_this_process

PACKAGES = ("foundation", "corpus", "models", "decoder", "tuning", "src/hyperbaton")
IN_TEXT = re.compile(r"`hyperbaton ([^`]+)`")
IN_MESSAGES = re.compile(r"\bhyperbaton ((?:" + "|".join(COMMANDS) + r")\b[^\n'`]*)")
OPTION = re.compile(r"(?<!\S)--?[a-z][a-z-]*")
FILES = {"source": "ja", "target": "en", "alignment": "align"}
SLOW = (
    "hyperbaton study learners",
    "hyperbaton compare --preset",
    "hyperbaton serve",  # until it is stopped
    "hyperbaton train --sample",
)


def command_of(name):
    """A command, or one of a group: `study next-word`."""
    first, _, second = name.partition(" ")
    found = cli.get_command(click.Context(cli), first)
    return found.commands[second] if second else found


def all_commands():
    for name in COMMANDS:
        found = command_of(name)
        inner = found.commands if isinstance(found, click.Group) else ()
        yield from (f"{name} {one}" for one in inner)
        if not inner:
            yield name


def examples():
    """Those of all help texts."""
    for name in all_commands():
        for paragraph in re.findall(r"\x08\n(.*?)(?:\n\n|\Z)", command_of(name).help, re.DOTALL):
            lines = paragraph.replace("\\\n", " ").splitlines()
            yield from (" ".join(line.split()) for line in lines)


def literals(path):
    """All texts of a source file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def check_options(text):
    """The command exists and has the options; whatever else is said stays unread."""
    name, *rest = text.split()
    assert name in COMMANDS, text
    if isinstance(command_of(name), click.Group) and rest and rest[0] in command_of(name).commands:
        name = f"{name} {rest[0]}"
    known = {option for one in command_of(name).params for option in one.opts} | {"--help", "-h"}
    assert set(OPTION.findall(text)) <= known, text


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_in_running_text_exist(document):
    blocks = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
    for text in IN_TEXT.findall(blocks.sub("", document.read_text(encoding="utf-8"))):
        if not text.startswith(("count", "→")):  # the command that a document adds; a drawing
            check_options(text)


def test_commands_in_messages_and_help_exist():
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    found = [
        match for path in paths for text in literals(path) for match in IN_MESSAGES.findall(text)
    ]
    assert len(found) > 30
    for text in found:
        check_options(text)


@pytest.mark.parametrize("text", ["trian --out x", "train --outt x"])
def test_a_command_that_does_not_exist_is_found_out(text):
    with pytest.raises(AssertionError):
        check_options(text)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with all files that the examples name, and a system for those that need one."""
    folder = tmp_path_factory.mktemp("examples")
    own_files(folder)
    for name in ("train.ja", "train.en"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    for name, same in {
        "fwd.align": "train.align", "bwd.align": "train.align", "input.ja": "test.ja",
        "old.en": "test.en", "new.en": "test.en", "test.2.en": "test.en",
        "comparison.toml": "my-comparison.toml",
    }.items():  # fmt: skip
        shutil.copy(folder / same, folder / name)
    japanese = {name: folder / f"train.{end}" for name, end in FILES.items()}
    chinese = vars(sample_files("zh-en", "dev"))  # for features, with tags and trees
    train(folder / "system", "pair,prior=16.0,passes=3", **japanese)
    train(folder / "chinese", "parse,iterations=3", **chinese)
    run_here(["export", folder / "system", "--out", folder])  # with moses.ini
    return folder


def train(out, model, **files):
    given = [part for name, path in files.items() for part in (f"--{name.replace('_', '-')}", path)]
    models = "--distortion", "linear", "--distortion", model
    run_here(["train", *given, *models, "--out", out])


@pytest.mark.usefixtures("shared_samples")
@pytest.mark.parametrize(
    "example",
    [one for one in examples() if can_be_run(one) and not one.startswith(SLOW)],
)
def test_the_examples_of_help_texts_run(example, prepared, tmp_path, monkeypatch):
    folder = shutil.copytree(prepared, tmp_path / "work")
    if "--learned" in example:
        shutil.rmtree(folder / "system")
        (folder / "chinese").rename(folder / "system")
    monkeypatch.chdir(folder)
    hurry(monkeypatch)
    monkeypatch.setattr("hyperbaton.tuning.comparison.run.run_jobs", in_this_process)
    run(example, folder)


def test_training_without_an_alignment_says_how_to_make_one(prepared, tmp_path, monkeypatch):
    files = CorpusFiles(prepared / "train.ja", prepared / "train.en")
    with pytest.raises(SettingError, match="training needs a word alignment") as error:
        train_system(files, tmp_path / "model")
    advised = error.value.advice.removeprefix("make one: ")
    monkeypatch.chdir(tmp_path)
    hurry(monkeypatch)
    if can_be_run(advised):
        run_here(shlex.split(advised)[1:])
        assert Path("train.align").exists()


@pytest.mark.parametrize(("command", "model"), [("info", "parse"), ("study", "sequence")])
def test_a_model_that_a_command_needs_is_trained_as_advised(
    command, model, prepared, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(prepared)
    files = [part for name, end in FILES.items() for part in (f"--{name}", f"dev.{end}")]
    again = ["train", *files, "--out", tmp_path / "model", "--distortion", "linear"]
    asked = ["info", tmp_path / "model", "--learned", "all"]
    if command == "study":
        asked = ["study", "next-word", tmp_path / "model", *files]
    run_here(again)
    with pytest.raises(SystemExit):
        main(list(map(str, asked)))
    advised = re.search(r"train the system again, with (--\S+ \S+) added", capsys.readouterr().err)
    assert advised[1] == f"--distortion {model}"
    run_here([*again, *advised[1].split()])
    run_here(asked)
