"""Brackets for jumps beside the source of a derivation: their depths and where labels go.

Places are along the direction of reading, in points; `vertical` says that labels, which always run
from left to right, lie across it.
"""

from dataclasses import dataclass, replace

SMALL = 7.0  # size of labels
DIGIT = 4.3  # width of a character of a label
N_CHOICES = 20  # places that are tried for a label


@dataclass(frozen=True)
class Jump:
    begin: float
    end: float
    label: str
    is_forward: bool
    step: int  # that it leads to, from 0

    @property
    def middle(self) -> float:
        return (self.begin + self.end) / 2

    def half_label(self, vertical: bool) -> float:
        """Half the room that the label takes along the source, with some air."""
        return (SMALL if vertical else DIGIT * len(self.label)) / 2 + 1

    def extent(self, vertical: bool) -> tuple[float, float]:
        """Where it begins and ends along the source, its label included."""
        half, ends = self.half_label(vertical), sorted((self.begin, self.end))
        return min(ends[0], self.middle - half), max(ends[1], self.middle + half)

    def moved(self, by: float) -> "Jump":
        return replace(self, begin=self.begin + by, end=self.end + by)


def assign_lanes(extents: list[tuple[float, float]]) -> list[int]:
    """A lane for each bracket, short ones inside, so that no two overlap."""
    lanes = [0] * len(extents)
    taken: list[list[tuple[float, float]]] = []
    for number in sorted(range(len(extents)), key=lambda n: (extents[n][1] - extents[n][0], n)):
        begin, end = extents[number]
        lane = 0
        while lane < len(taken) and any(b <= end and begin <= e for b, e in taken[lane]):
            lane += 1
        if lane == len(taken):
            taken.append([])
        taken[lane].append((begin, end))
        lanes[number] = lane
    return lanes


def label_places(jumps: list[Jump], lanes: list[int], vertical: bool) -> list[float]:
    """Where along its bracket each label stands: in the middle, or where no leg of a deeper bracket
    crosses it, or as far from the legs as possible."""
    places = []
    for jump, lane in zip(jumps, lanes, strict=True):
        legs = [
            leg
            for other, below in zip(jumps, lanes, strict=True)
            if below > lane
            for leg in (other.begin, other.end)
        ]
        half, (low, high) = jump.half_label(vertical), jump.extent(vertical)
        room = max(high - low - 2 * half, 0.0)
        choices = [low + half + room * part / N_CHOICES for part in range(N_CHOICES + 1)]

        clear = [min([half, *(abs(place - leg) for leg in legs)]) for place in choices]
        best = zip(clear, choices, strict=True)
        places.append(min(best, key=lambda item: (-item[0], abs(item[1] - jump.middle)))[1])
    return places
