"""How long work reports where it is, without knowing who listens.

Each kind of work has a name of its own and counts from 0. A count of 0 says that the work begins;
it is all that work without a count ever says.
"""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int], None]  # what is being done, how many are done
