"""Charts: lines over named places as plain data, and as a table. `chart_pictures.py` draws them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeGuard

from hyperbaton.tuning.evaluation.tables import Table

MOST_ROWS = 41  # of a table: distances from −20 to 20
NUMBERS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100, 200, 500)  # places shown of longer charts


@dataclass(frozen=True)
class Series:
    name: str
    values: Sequence[float | None]  # one for each place on the x axis; None: nothing there
    is_reference: bool = False
    deviations: Sequence[float] = ()  # of the values; none: they are not known


@dataclass(frozen=True)
class Chart:
    """Lines over named places."""

    caption: str
    places: Sequence[str]
    series: Sequence[Series]
    x_title: str
    y_title: str
    digits: int = 1  # of numbers in the table
    is_log: bool = False
    name: str = ""  # charts of one name are panels of one picture
    n_examples: Sequence[int] = ()  # behind each place

    def is_shown(self, value: float | None) -> TypeGuard[float]:
        """On a logarithmic axis, values that are not above 0 are gaps."""
        return value is not None and isfinite(value) and (value > 0 or not self.is_log)

    @property
    def table(self) -> Table:
        """The numbers, a row for each place; long charts show ever fewer places."""
        n = len(self.places)
        shown = range(n) if n <= MOST_ROWS else [k - 1 for k in NUMBERS if k < n] + [n - 1]
        columns = [(self.x_title, self.places)]
        if self.n_examples:
            columns.append(("examples", [f"{number:,}" for number in self.n_examples]))
        columns += [
            (one.name, [self._number(one, place) for place in range(n)]) for one in self.series
        ]
        rows = [[column[place] for _, column in columns] for place in shown]
        return Table([name for name, _ in columns], rows, title=self.caption)

    def _number(self, one: Series, place: int) -> str:
        value = one.values[place] if place < len(one.values) else None
        return "-" if value is None or not isfinite(value) else f"{value:.{self.digits}f}"
