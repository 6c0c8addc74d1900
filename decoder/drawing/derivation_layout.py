"""The layout of a picture of a derivation, independent of the drawing.

    horizontal    ┌1──┐ ┌2─────┐ ┌3────┐         vertical   (long sentences: words stay readable,
    target        │he │ │bought│ │book │                     one below the other)
                  └───┘ └──────┘ └─────┘
                    │       ╲ ╱                         ┌─┌kare┐1   1┌he    ┐
                    │       ╱ ╲                         │ ┌hon ┐3 ╲╱2┌bought┐
                  ┌1───┐ ┌3──┐ ┌2────┐                  └▶┌katta┐2╱╲3┌book  ┐
    source        │kare│ │hon│ │katta│
                  └────┘ └───┘ └─────┘
    jumps              └───2:+1──▲

Lengths are in points, for a font of 10 points; x increases to the right and y downwards. Both sides
of a phrase show the number of its step; an unknown word has a question mark after it. Jumps other
than 0 are brackets on the outer side of the source, from the end of a phrase to the start of the
next one, in lanes so that no two overlap.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

FONT = 10.0
LONG = 14  # sides with more words are drawn vertically
PAD = 5.0  # between a word and the edge of its box
SPACE = 4.0  # between words of a phrase
GAP = 5.0  # between phrases
LINE = 14.0  # of a word in a vertical picture
HEIGHT = 24.0  # of a box in a horizontal one
NARROWEST = 18.0  # box
NUMBER = 12.0  # room for a phrase's number
BAND = {False: 46.0, True: 84.0}  # between source and target, horizontal and vertical
LANE = {False: 13.0, True: 30.0}  # between brackets
MARGIN = 8.0
INSET = 4.0  # distance of a bracket's ends from the edges of boxes
CORNER = 4.0
SMALL = 7.0  # size of the labels of jumps
DIGIT = 4.3  # width of a character of a label
N_CHOICES = 20  # positions tried for a label

Point = tuple[float, float]


@dataclass(frozen=True)
class Derivation:
    """The parts of a derivation that a picture shows."""

    source_words: Sequence[str]
    target_words: Sequence[str]
    # source start and end, target start and end of each phrase, in target order
    spans: Sequence[Sequence[int]]
    links: Sequence[Sequence[int]]  # word alignment
    unknown: Sequence[int] = ()  # phrases that are unknown words

    @property
    def is_long(self) -> bool:
        return max(len(self.source_words), len(self.target_words)) > LONG


@dataclass(frozen=True)
class Word:
    text: str
    at: Point  # its centre


@dataclass(frozen=True)
class Box:
    corner: Point  # upper left
    size: Point
    number_at: Point  # centre of the step's number
    step: int  # from 0
    is_unknown: bool

    @property
    def label(self) -> str:
        return f"{self.step + 1}{'?' * self.is_unknown}"


@dataclass(frozen=True)
class Bracket:
    """A jump, drawn from the first corner to the last, which has the arrow head."""

    corners: tuple[Point, Point, Point, Point]
    label: str
    label_at: Point
    is_forward: bool
    step: int  # that the jump leads to, from 0


@dataclass(frozen=True)
class Layout:
    size: Point
    vertical: bool
    words: tuple[Word, ...]
    boxes: tuple[Box, ...]
    # areas between the two sides of phrase pairs, by step: source edge, then target edge
    ribbons: dict[int, tuple[Point, Point, Point, Point]]
    links: tuple[tuple[Point, Point], ...]
    brackets: tuple[Bracket, ...]


@dataclass(frozen=True)
class Jump:
    """A jump along the direction of reading. In a `vertical` picture, labels are perpendicular to
    it."""

    begin: float
    end: float
    label: str
    is_forward: bool
    step: int  # that it leads to, from 0

    @property
    def middle(self) -> float:
        return (self.begin + self.end) / 2

    def half_label(self, vertical: bool) -> float:
        """Half the label's extent along the source, with padding."""
        return (SMALL if vertical else DIGIT * len(self.label)) / 2 + 1

    def extent(self, vertical: bool) -> tuple[float, float]:
        """Begin and end along the source, including the label."""
        half, ends = self.half_label(vertical), sorted((self.begin, self.end))
        return min(ends[0], self.middle - half), max(ends[1], self.middle + half)

    def moved(self, by: float) -> "Jump":
        return replace(self, begin=self.begin + by, end=self.end + by)


@dataclass(frozen=True)
class _Row:
    """The words and boxes of one side, along the direction of reading."""

    middles: tuple[float, ...]  # of words
    boxes: dict[int, tuple[float, float]]  # begin and end, by step
    length: float

    def moved(self, by: float) -> "_Row":
        boxes = {step: (begin + by, end + by) for step, (begin, end) in self.boxes.items()}
        return _Row(tuple(middle + by for middle in self.middles), boxes, self.length)


def lay_out(
    derivation: Derivation, text_width: Callable[[str], float], vertical: bool | None = None
) -> Layout:
    """Computes the layout of a derivation; `text_width` gives the width of a word in points."""
    source_words, target_words = derivation.source_words, derivation.target_words
    vertical = derivation.is_long if vertical is None else vertical
    in_target_order = list(enumerate(derivation.spans))
    in_source_order = sorted(in_target_order, key=lambda item: item[1][0])
    sources = [(step, source_words[s:e]) for step, (s, e, _, _) in in_source_order]
    targets = [(step, target_words[s:e]) for step, (_, _, s, e) in in_target_order]
    source, target = (_row(phrases, text_width, vertical) for phrases in (sources, targets))
    jumps = list(_jumps(derivation.spans, source))
    lanes = assign_lanes([jump.extent(vertical) for jump in jumps])
    low = min([0.0, *(jump.extent(vertical)[0] for jump in jumps)])
    high = max([source.length, target.length, *(jump.extent(vertical)[1] for jump in jumps)])
    if not vertical:  # centre the shorter side
        middle = max(source.length, target.length) / 2
        by = middle - source.length / 2
        low, high = min(0.0, low + by), max(2 * middle, high + by)
        source, target = source.moved(by), target.moved(middle - target.length / 2)
        jumps = [jump.moved(by) for jump in jumps]
    depths = [_thickness(words, text_width, vertical) for words in (target_words, source_words)]
    canvas = _Canvas(vertical, low, high, depths, n_lanes=max(lanes, default=-1) + 1)
    places = label_places(jumps, lanes, vertical)
    brackets = [canvas.bracket(*of_jump) for of_jump in zip(jumps, lanes, places, strict=True)]
    return canvas.layout(derivation, source, target, brackets)


def _row(
    phrases: Iterable[tuple[int, Sequence[str]]], text_width: Callable[[str], float], vertical: bool
) -> _Row:
    """Places the words of one side, phrase by phrase."""
    middles: list[float] = []
    boxes = {}
    at = 0.0
    for step, words in phrases:
        if not words:
            continue
        widths = [LINE if vertical else text_width(word) for word in words]
        inner = sum(widths) + (0.0 if vertical else SPACE * (len(words) - 1) + 2 * PAD)
        length = max(inner, 0.0 if vertical else NARROWEST)
        boxes[step] = at, at + length
        place = at + (length - inner) / 2 + (0.0 if vertical else PAD)
        for width in widths:
            middles.append(place + width / 2)
            place += width + (0.0 if vertical else SPACE)
        at += length + GAP
    return _Row(tuple(middles), boxes, max(at - GAP, 0.0))


def _thickness(words: Sequence[str], text_width: Callable[[str], float], vertical: bool) -> float:
    """The size of a side's boxes across the direction of reading."""
    if not vertical:
        return HEIGHT
    return max([NARROWEST, *map(text_width, words)]) + 2 * PAD + NUMBER


def _jumps(spans: Sequence[Sequence[int]], source: _Row) -> Iterable[Jump]:
    previous_end = 0
    for number, (start, end, _, _) in enumerate(spans):
        jump, previous_end = start - previous_end, end
        if jump:
            begin = source.boxes[number - 1][1] - INSET if number else INSET
            label = f"{number + 1}: {jump:+d}".replace("-", "−")
            yield Jump(begin, source.boxes[number][0] + INSET, label, jump > 0, number)


class _Canvas:
    """Converts positions along and across the direction of reading to points.

    `across` runs from the target to the brackets, which are on the left in a vertical picture.
    """

    def __init__(
        self, vertical: bool, low: float, high: float, depths: Sequence[float], n_lanes: int
    ) -> None:
        self.vertical, self._low = vertical, low
        self.target_edge = depths[0]  # end of the target's boxes
        self.source_edge = depths[0] + BAND[vertical]  # beginning of the source's boxes
        self.outer_edge = self.source_edge + depths[1]
        across = self.outer_edge + (n_lanes + 0.5) * LANE[vertical] * bool(n_lanes)
        self._across = across + 2 * MARGIN
        along = high - low + 2 * MARGIN
        self.size = (self._across, along) if vertical else (along, self._across)

    def point(self, along: float, across: float) -> Point:
        along, across = along - self._low + MARGIN, across + MARGIN
        return (self._across - across, along) if self.vertical else (along, across)

    def layout(
        self, derivation: Derivation, source: _Row, target: _Row, brackets: list[Bracket]
    ) -> Layout:
        sides = (
            (source, derivation.source_words, self.source_edge, self.outer_edge),
            (target, derivation.target_words, 0.0, self.target_edge),
        )
        words, boxes = [], []
        for row, texts, near, far in sides:
            outer = far if row is source else near  # the side of the numbers, if vertical
            sign = -1.0 if row is source else 1.0
            aside = (far - near + sign * NUMBER) / 2  # of words, from the near edge
            across = near + (aside if self.vertical else 0.6 * HEIGHT)
            words += [
                Word(text, self.point(middle, across))
                for text, middle in zip(texts, row.middles, strict=True)
            ]
            for step, (begin, end) in row.boxes.items():
                if self.vertical:
                    number_at = self.point(begin + LINE / 2, outer + sign * 0.7 * NUMBER)
                else:
                    number_at = self.point(begin + 5.0, near + 5.5)
                (x0, y0), (x1, y1) = self.point(begin, near), self.point(end, far)
                corner, size = (min(x0, x1), min(y0, y1)), (abs(x1 - x0), abs(y1 - y0))
                boxes.append(Box(corner, size, number_at, step, step in derivation.unknown))
        ribbons = {}
        for step, (t0, t1) in target.boxes.items():
            s0, s1 = (self.point(end, self.source_edge) for end in source.boxes[step])
            ribbons[step] = (
                s0,
                s1,
                self.point(t1, self.target_edge),
                self.point(t0, self.target_edge),
            )
        from_source = [self.point(middle, self.source_edge) for middle in source.middles]
        to_target = [self.point(middle, self.target_edge) for middle in target.middles]
        links = tuple((from_source[s], to_target[t]) for s, t in derivation.links)
        return Layout(
            self.size, self.vertical, tuple(words), tuple(boxes), ribbons, links, tuple(brackets)
        )

    def bracket(self, jump: Jump, lane: int, label_place: float) -> Bracket:
        depth = self.outer_edge + 7.0 + lane * LANE[self.vertical]
        aside = DIGIT * len(jump.label) / 2 + 2 if self.vertical else 0.6 * SMALL
        return Bracket(
            (
                self.point(jump.begin, self.outer_edge),
                self.point(jump.begin, depth),
                self.point(jump.end, depth),
                self.point(jump.end, self.outer_edge),
            ),
            jump.label,
            self.point(label_place, depth + aside),
            jump.is_forward,
            jump.step,
        )


def assign_lanes(extents: list[tuple[float, float]]) -> list[int]:
    """A lane for each bracket, short brackets inside, so that no two overlap."""
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
    """The position of each label along its bracket: in the middle, or where no leg of a deeper
    bracket crosses it, or as far from the legs as possible."""
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
