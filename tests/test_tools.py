"""Benchmarks and other tools are not run by the tests, but at least they can be loaded."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.glob("tools/**/*.py")
)


@pytest.mark.parametrize("module", MODULES)
def test_a_tool_can_be_loaded(module):
    assert import_module(module).__doc__
