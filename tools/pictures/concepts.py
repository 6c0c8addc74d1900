"""The pictures of docs/understand, all of one search of one sentence."""

from heapq import heappop, heappush

import numpy as np

from hyperbaton.decoder.drawing.derivation_layout import Point, assign_lanes, lay_out
from hyperbaton.decoder.drawing.derivation_svg import (
    BACKWARD,
    color_of,
    derivation_svg,
    text_width,
)
from hyperbaton.decoder.edges import within_limit
from hyperbaton.foundation.coverage import free_spans
from tools.pictures.paper import GREY, Paper
from tools.pictures.sample import Sample

Place = tuple[int, int]  # row and column of a grid
WIDTH, LEFT, COLUMN = 800.0, 24.0, 94.0  # of a picture with a column for each word
ROW = 30.0
LIMIT = 4  # of the picture that explains the distortion limit
N_SHOWN = 3  # hypotheses of a stack
GRID = 5, 6  # hypotheses and options of the picture of cube pruning
N_POPS = 8
END, DASHED = ' text-anchor="end"', ' stroke-dasharray="4 3"'
ALLOWED, TAKEN = "#009E73", "#0072B2"


def derivation(sample: Sample) -> str:
    """Source and target phrases, and the jumps between them."""
    drawn = sample.explanation.derivation
    width, height = (2 * length for length in lay_out(drawn, text_width).size)
    paper = Paper(WIDTH, height)
    picture = derivation_svg(drawn, shrinks=False)
    paper.add(f'<g transform="translate({(WIDTH - width) / 2:.1f} 0) scale(2)">{picture}</g>')
    return paper.finished("The best derivation", derivation.__doc__ or "")


def options(sample: Sample) -> str:
    """The best option of each source span; in colour, the options taken."""
    taken = {step.source: (n, step.target_words) for n, step in enumerate(sample.explanation.steps)}
    lanes = assign_lanes([(start, end - 0.1) for start, end, _ in sample.spans])
    paper = Paper(WIDTH, 66 + ROW * (max(lanes) + 1))
    _source(paper, sample.words)
    for (start, end, option), lane in zip(sample.spans, lanes, strict=True):
        step, words = taken.get((start, end), (None, sample.decoded.phrase(option)))
        look = (GREY, 0.12) if step is None else (color_of(step), 0.3)
        _span(paper, start, end, 54 + ROW * lane, " ".join(words), *look)
    counts = f"{len(sample.spans)} spans have {len(sample.decoded.options.table)} options."
    return paper.finished("Options of a sentence", f"{options.__doc__} {counts}")


def limit(sample: Sample) -> str:
    """Which spans may follow the first phrase under a distortion limit of 4."""
    step = sample.explanation.steps[0]
    previous_end, gap = step.source[1], step.covered.index(False)
    start, end = np.array(sample.spans)[:, :2].T
    free = np.flatnonzero(free_spans(np.array(step.covered), start, end))
    start, end = start[free], end[free]
    allowed = within_limit(start, end, previous_end, gap, LIMIT)
    lanes = assign_lanes(list(zip(start.tolist(), (end - 0.1).tolist(), strict=True)))
    paper = Paper(WIDTH, 66 + ROW * (max(lanes) + 1))
    _source(paper, sample.words)
    _span(paper, *step.source, 54, "covered", GREY, 0.5)
    for first, last, lane, is_allowed in zip(start, end, lanes, allowed, strict=True):
        jump = first - previous_end
        text = f"jump {jump:+d}".replace("+0", "0")
        if not is_allowed and abs(jump) <= LIMIT:
            text = f"{last - gap} from gap"
        look = (ALLOWED, 0.25) if is_allowed else (GREY, 0.0)
        _span(paper, first, last, 54 + ROW * lane, text, *look)
    return paper.finished("The distortion limit", limit.__doc__ or "")


def future(sample: Sample) -> str:
    """The best score of every source span, from its first word (row) to its last (column)."""
    left, width, n = 110.0, 82.0, len(sample.words)
    paper = Paper(WIDTH, 48 + ROW * n)
    open_words = {
        n for n, is_covered in enumerate(sample.explanation.steps[1].covered) if not is_covered
    }
    lowest = sample.futures[0, n]
    for start, word in enumerate(sample.words):
        paper.text((left + width * (start + 0.5), 20), word)
        paper.text((left - 12, 36 + ROW * (start + 0.5)), word, 13, END)
        for end in range(start + 1, n + 1):
            corner = left + width * (end - 1) + 2, 36 + ROW * start + 2
            value = sample.futures[start, end]
            is_left = end == start + 1 and start in open_words
            look = ' stroke-width="2.5"' if is_left else ' stroke-opacity="0.3"'
            color = BACKWARD if is_left else TAKEN
            paper.box(corner, (width - 4, ROW - 4), color, 0.05 + 0.5 * value / lowest, look)
            middle = corner[0] + width / 2 - 2, corner[1] + ROW / 2 - 2
            paper.text(middle, _number(value), 12)
    return paper.finished("Future cost", future.__doc__ or "")


def stacks(sample: Sample) -> str:
    """The best hypotheses of every stack; the arrows lead along the best derivation."""
    lattice, total = sample.lattice, sample.lattice.score + sample.lattice.future
    n, width, height = len(sample.words), 87.0, 62.0
    paper = Paper(WIDTH, 62 + N_SHOWN * (height + 8))
    places: dict[int, Point] = {}
    for stack in range(n + 1):
        nodes = np.flatnonzero(lattice.n_covered == stack)
        best = nodes[np.argsort(-total[nodes], kind="stable")].tolist()
        shown = best[:N_SHOWN]
        shown += [node for node in best[N_SHOWN:] if node in sample.best_path]
        x = 9 + width * stack
        paper.text((x + width / 2 - 2, 18), f"stack {stack}", 12)
        for row, node in enumerate([*shown[: N_SHOWN - 1], shown[-1]][: len(shown)]):
            places[node] = x, 34 + row * (height + 8)
            _hypothesis(paper, sample, node, total[node], places[node], (width - 5, height))
        kept = f"{sample.decoded.record.stack_sizes[stack]} kept"
        paper.quiet((x + width / 2 - 2, 46 + N_SHOWN * (height + 8)), kept, 11)
    for before, after in zip([0, *sample.best_path], sample.best_path, strict=False):
        (x0, y0), (x1, y1) = places[before], places[after]
        from_, to = (x0 + width - 5, y0 + 12), (x1, y1 + 12)
        if to[0] - from_[0] > 10:  # over the stacks between them
            path = (
                f"M{from_[0]:.1f} {y0:.1f}Q{(from_[0] + to[0]) / 2:.1f} 22.0 {to[0]:.1f} {y1:.1f}"
            )
        else:
            path = f"M{from_[0]:.1f} {from_[1]:.1f}L{to[0]:.1f} {to[1]:.1f}"
        paper.line(path, TAKEN, ' stroke-width="2"')
    return paper.finished("Stacks", stacks.__doc__ or "")


def recombination(sample: Sample) -> str:
    """Two hypotheses with the same future: the search keeps the better one."""
    lattice, node = sample.lattice, sample.best_path[1]
    arcs = sample.arcs_to(node)
    scores = lattice.score[lattice.arc_from[arcs]] + lattice.arc_score[arcs]
    best = [arcs[n] for n in np.argsort(-scores, kind="stable")]
    other = next(arc for arc in best[1:] if sample.said(arc) != sample.said(best[0]))
    paper = Paper(WIDTH, 150)
    for y, arc in ((22.0, best[0]), (88.0, other)):
        paper.box((20, y), (290, 44), TAKEN if arc == best[0] else GREY)
        paper.text((165, y + 15), " ".join(sample.said(arc)))
        score = lattice.score[lattice.arc_from[arc]] + lattice.arc_score[arc]
        paper.quiet((165, y + 32), f"score {_number(score)}")
        dashes = "" if arc == best[0] else DASHED
        paper.line(f"M310 {y + 22:.1f}C380 {y + 22:.1f} 380 75 450 75", TAKEN, dashes)
    paper.box((450, 40), (330, 70), TAKEN, 0.25)
    paper.coverage((583, 49), sample.covered(node))
    paper.text((615, 72), "the language model sees: " + " ".join(sample.phrase(best[0])))
    paper.quiet((615, 94), f"{len(arcs)} steps lead to this hypothesis")
    return paper.finished("Recombination", recombination.__doc__ or "")


def cube(sample: Sample) -> str:
    """Hypotheses (rows) × options of a span (columns), and the order in which steps are taken."""
    nodes, options, value = _grid(sample)
    order, waiting = _pops(value)
    left, width, height = 190.0, 98.0, 36.0
    paper = Paper(WIDTH, 52 + height * len(nodes))
    for column, option in enumerate(options):
        words = _fitting(" ".join(sample.decoded.phrase(option)), width)
        paper.text((left + width * (column + 0.5), 22), words, 12)
    for row, node in enumerate(nodes):
        y = 40 + height * row
        paper.text((left - 12, y + 17), " ".join(sample.phrase(sample.arcs_to(node)[0])), 13, END)
        for column in range(len(options)):
            place, corner = (row, column), (left + width * column + 2, y + 2)
            is_taken = place in order
            look = "" if is_taken else DASHED
            shade = 0.35 if is_taken else 0.0
            if is_taken or place in waiting:
                paper.box(corner, (width - 4, height - 4), TAKEN, shade, look)
                paper.text((corner[0] + 54, y + 18), _number(value[place]), 12)
            if is_taken:
                paper.quiet((corner[0] + 18, y + 18), f"{order.index(place) + 1}.", 12)
    return paper.finished("Cube pruning", cube.__doc__ or "")


def score(sample: Sample) -> str:
    """What each part of the model adds to the score of the best derivation."""
    explained = sample.explanation
    rows = [
        (part.name, float(value))
        for part, value in zip(explained.parts, explained.part_scores, strict=True)
        if value
    ]
    ends = np.cumsum([0.0, *(value for _, value in rows)])
    pixels = 470 / (ends.max() - ends.min())
    paper = Paper(WIDTH, 30 + ROW * (len(rows) + 1))
    zero = 180 - pixels * ends.min()
    paper.line(f"M{zero:.1f} 12V{22 + ROW * (len(rows) + 1):.1f}", GREY, ' stroke-dasharray="2 3"')
    for row, ((name, value), begin) in enumerate(
        zip([*rows, ("score", ends[-1])], [*ends[:-1], 0.0], strict=True)
    ):
        y, low = 16 + ROW * row, min(begin, begin + value)
        color = TAKEN if name == "score" else ALLOWED if value > 0 else BACKWARD
        paper.text((160, y + 12), name, 13, END)
        paper.box((zero + pixels * low, y), (pixels * abs(value), ROW - 6), color, 0.35)
        paper.text((690, y + 12), _number(value, "+"), 13, ' text-anchor="start"')
    return paper.finished("Features and weights", score.__doc__ or "")


def _grid(sample: Sample) -> tuple[list[int], list[int], dict[Place, float]]:
    """Hypotheses that have translated the first phrase only, options of the third one's span, and
    the totals of all steps."""
    lattice, after = sample.lattice, sample.best_path[0]
    is_covered = (lattice.coverage == lattice.coverage[after]).all(axis=1)
    has_same_end = np.isclose(lattice.future, lattice.future[after])
    group = np.flatnonzero(is_covered & has_same_end).tolist()
    nodes = sorted(group, key=lambda node: -lattice.score[node])[: GRID[0]]
    span = sample.explanation.steps[2].source
    first = next(option for start, end, option in sample.spans if (start, end) == span)
    options = list(range(first, first + GRID[1]))
    totals = lattice.score[lattice.arc_from] + lattice.arc_score + lattice.future[lattice.arc_to]
    steps = zip(lattice.arc_from, lattice.arc_option, totals.tolist(), strict=True)
    return (
        nodes,
        options,
        {
            (nodes.index(before), options.index(option)): total
            for before, option, total in steps
            if before in nodes and option in options
        },
    )


def _pops(value: dict[Place, float]) -> tuple[list[Place], set[Place]]:
    """The first steps that a queue takes, and those that then wait in it."""
    queue, order = [(-value[0, 0], (0, 0))], list[Place]()
    while len(order) < N_POPS:
        _, (row, column) = heappop(queue)
        order.append((row, column))
        for place in [(row + 1, column), (row, column + 1)][: 2 if row == 0 else 1]:
            if place in value:
                heappush(queue, (-value[place], place))
    return order, {place for _, place in queue}


def _fitting(text: str, width: float) -> str:
    """As much of a text as a box of this width can show."""
    n_characters = int(width / 6.2)
    return text if len(text) <= n_characters else text[: n_characters - 1].rstrip() + "…"


def _number(value: float, sign: str = "") -> str:
    return f"{value:{sign}.2f}".replace("-", "−")


def _source(paper: Paper, words: tuple[str, ...]) -> None:
    for place, word in enumerate(words):
        paper.text((LEFT + COLUMN * (place + 0.5) - 2, 20), word, 15)
        paper.quiet((LEFT + COLUMN * (place + 0.5) - 2, 39), str(place), 11)


def _span(
    paper: Paper, start: int, end: int, y: float, text: str,
    color: str, shade: float,
) -> None:  # fmt: skip
    width = COLUMN * (end - start) - 4
    look = "" if shade else DASHED
    paper.box((LEFT + COLUMN * start, y), (width, ROW - 6), color, shade, look)
    paper.text((LEFT + COLUMN * start + width / 2, y + ROW / 2 - 3), _fitting(text, width), 12)


def _hypothesis(
    paper: Paper, sample: Sample, node: int, total: float,
    corner: Point, size: Point,
) -> None:  # fmt: skip
    x, y = corner
    is_best = node in (0, *sample.best_path)
    paper.box(corner, size, TAKEN if is_best else GREY, 0.25 if is_best else 0.1)
    paper.coverage((x + (size[0] - 63) / 2, y + 6), sample.covered(node))
    words = sample.phrase(sample.arcs_to(node)[0]) if node else []
    half = (len(words) + 1) // 2 if len(" ".join(words)) > 14 else len(words)
    for row, line in enumerate((words[:half], words[half:])):
        shift = 0.0 if words[half:] else 6.0
        paper.text((x + size[0] / 2, y + 23 + shift + 12 * row), " ".join(line), 11)
    paper.quiet((x + size[0] / 2, y + 52), _number(total), 11)
