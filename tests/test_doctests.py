"""The examples in docstrings say what happens."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for layer in ("models", "decoder", "tuning", "hyperbaton", "data_samples")
    for file in sorted((ROOT / layer).rglob("*.py"))
    if doctest.DocTestParser().get_examples(file.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    assert not doctest.testmod(import_module(module)).failed
