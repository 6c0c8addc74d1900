"""Classes that users name as `module:Class`: their own optimisers and metrics."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from models.errors import SettingError


def load_class(place: str, kind: str) -> Any:
    """The class at `module:Class`; `kind` says in the error what it should have been."""
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # a file in the working folder counts, as with python -m
    try:
        module, _, attribute = place.partition(":")
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingError(f"the {kind} {place!r} cannot be loaded: {error}") from None
