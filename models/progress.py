"""How long work reports where it is, without knowing who listens."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int], None]  # what is being done, how many are done
