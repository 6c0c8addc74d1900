"""Classes of signed distances (Ni et al. 2011, section 2.1 and Figure 4).

d = previous_end − start, so d < 0 is a move forward over untranslated words, d = 0 goes on where
the last phrase ended, and d > 0 goes back. Classes are numbered by rising d.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from models.arrays import Int64Array
from models.errors import SettingError


@dataclass(frozen=True)
class Orientations:
    names: tuple[str, ...]
    last: tuple[int, ...]  # largest distance of each class but the last one, which is open

    def __len__(self) -> int:
        return len(self.names)

    def of(self, distances: ArrayLike) -> Int64Array:
        """The class of each distance."""
        return np.searchsorted(self.last, np.asarray(distances))


SETUPS = {
    3: Orientations(("d<0", "d=0", "d>0"), (-1, 0)),
    5: Orientations(("d≤-5", "-5<d<0", "d=0", "0<d<5", "d≥5"), (-5, -1, 0, 4)),
}


def orientations(n_classes: int) -> Orientations:
    """The setup with three or five classes."""
    if n_classes not in SETUPS:
        raise SettingError(
            f"there is no setup with {n_classes} orientation classes", expected="possible: 3 or 5"
        )
    return SETUPS[n_classes]
