"""The examples in docstrings say what happens."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src"
FLOORS = ("foundation", "corpus", "models", "decoder", "tuning", "commands", "views", "serving")
MODULES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for floor in FLOORS
    for file in sorted((ROOT / "hyperbaton" / floor).rglob("*.py"))
    if doctest.DocTestParser().get_examples(file.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    assert not doctest.testmod(import_module(module)).failed
