"""Benchmarks and most other tools are not run by the tests, but at least they can be loaded."""

import re
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hyperbaton import Translator
from tests import command_line
from tests.test_documents import same_line
from tools.pictures.__main__ import PLACE, pictures

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.glob("tools/**/*.py")
)


@pytest.mark.parametrize("module", MODULES)
def test_a_tool_can_be_loaded(module):
    assert import_module(module).__doc__


@pytest.mark.usefixtures("shared_stages")
def test_pictures_of_the_documents_are_up_to_date(tmp_path):
    """But for last digits, and how many hypotheses are pruned, where the processor may decide."""
    command_line.run("train", "--sample", "ja-en", "--out", "first", cwd=tmp_path)
    for name, drawn in pictures(Translator.load(tmp_path / "first")).items():
        lines, expected_lines = (
            re.sub(r"\d+ (kept|steps)", r"\1", text).splitlines()
            for text in ((PLACE / name).read_text(encoding="utf-8"), drawn)
        )
        assert len(drawn) < 40_000, name
        assert {"title", "desc"} <= {
            part.tag.partition("}")[2] for part in ElementTree.fromstring(drawn)
        }
        for shown, expected in zip(lines, expected_lines, strict=True):
            assert same_line(shown, expected), f"{name}: run `python -m tools.pictures`"
