"""A derivation that moves: phrase after phrase jumps in the source and goes to its place below.

Only style sheets move it, so it plays where scripts are forbidden, and stands still as a complete
picture for readers who prefer reduced motion.

    time ──▶  its jump is drawn │ a phrase gets its box │ it goes down and changes its words
"""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from hyperbaton.decoder.drawing.derivation_layout import (
    CORNER,
    SMALL,
    Box,
    Layout,
    Point,
    lay_out,
)
from hyperbaton.decoder.drawing.derivation_svg import (
    BACKWARD,
    EM,
    arrow_head,
    color_of,
    curve,
    text_width,
)
from hyperbaton.decoder.explanation import Explanation
from tools.pictures.paper import QUIET, Paper

BEFORE, STEP, AFTER = 0.8, 2.6, 4.6  # seconds: the source alone, each step, the whole picture
WIDTH, EDGE, SCALE = 800.0, 22.0, 1.95
DROP = 10.0  # between source and target, beyond that of a still picture


def moving_svg(explanation: Explanation) -> str:
    derivation = explanation.derivation
    scene = _Scene(explanation, lay_out(derivation, text_width, vertical=False))
    paper = Paper(WIDTH, scene.height * scene.scale + 2 * EDGE)
    place = f"translate({(WIDTH - scene.width * scene.scale) / 2:.1f} {EDGE:g})"
    paper.add(
        f'<g transform="{place} scale({scene.scale:.3f})" font-size="{EM:g}">',
        *scene.parts(),
        "</g>",
    )
    words = " ".join(explanation.source_words), " ".join(explanation.target_words)
    told = (
        f"{number}: {' '.join(step.source_words)} → {' '.join(step.target_words)}, jump {step.jump}"
        for number, step in enumerate(explanation.steps, 1)
    )
    return paper.finished(" → ".join(words), "; ".join(told), scene.style())


class _Scene:
    """A still layout upside down: jumps above the source, the target below it."""

    def __init__(self, explanation: Explanation, layout: Layout) -> None:
        self._steps, self._layout = explanation.steps, layout
        self._seconds = BEFORE + STEP * len(self._steps) + AFTER
        self._rules: list[str] = []
        self.width, self.height = layout.size[0], layout.size[1] + DROP + 1.5 * EM
        self.scale = min(SCALE, (WIDTH - 2 * EDGE) / self.width)

    def style(self) -> str:
        return f"@media (prefers-reduced-motion:no-preference){{{''.join(self._rules)}}}"

    def parts(self) -> Iterator[str]:
        for side, name in enumerate(("source", "target")):
            _, y = _center(self._box(0, side))
            yield _text(name, (-2.5 * EM, y), SMALL, "quiet")
        for step, taken in enumerate(self._steps):
            yield _phrase(taken.source_words, self._box(step, 0))
        end = self._seconds
        self._rule("all", (0, "opacity:1"), (end - 0.7, "opacity:1"), (end, "opacity:0"))
        yield '<g class="all">'
        for step in range(len(self._steps)):
            yield from self._step(step)
        yield "</g>"

    def _step(self, step: int) -> Iterator[str]:
        began = BEFORE + STEP * step
        self._appears(f"box{step}", began + 0.6, began + 0.9)
        self._appears(f"ribbon{step}", began + 1.9, began + 2.5)
        look = f'class="ribbon{step}" fill="{color_of(step)}" fill-opacity="0.13"'
        yield f'<path d="{self._ribbon(step)}" {look}/>'
        yield _rect(self._box(step, 0), f'class="box{step}" {_fill(step, 0.18)}')
        yield from self._jump(step, began)
        yield from self._flight(step, began)
        yield from self._tally(step, began)

    def _jump(self, step: int, began: float) -> Iterator[str]:
        """A line that is drawn from the end of the last phrase to the start of this one."""
        for bracket in self._layout.brackets:
            if bracket.step == step:
                color = "currentColor" if bracket.is_forward else BACKWARD
                self._rule(
                    f"jump{step}",
                    (began, "stroke-dashoffset:1;opacity:0"),
                    (began + 0.05, "stroke-dashoffset:1;opacity:1"),
                    (began + 0.7, "stroke-dashoffset:0;opacity:1"),
                )
                self._appears(f"head{step}", began + 0.6, began + 0.8)
                path = _rounded([self._flipped(corner) for corner in bracket.corners])
                yield (
                    f'<path class="jump{step}" d="{path}" fill="none" stroke="{color}" '
                    'stroke-width="0.8" stroke-linejoin="round" pathLength="1" '
                    'stroke-dasharray="1"/>'
                )
                head = _points([self._flipped(corner) for corner in arrow_head(bracket)])
                yield f'<g class="head{step}" fill="{color}"><path d="M{head}Z"/>'
                label = f"jump {self._steps[step].jump:+d}".replace("-", "−")
                x, y = self._flipped(bracket.label_at)
                yield _text(label, (x, y - 1.5), SMALL) + "</g>"

    def _flight(self, step: int, began: float) -> Iterator[str]:
        """The phrase on its way, with the words of both sides, one after the other."""
        source, target = self._box(step, 0), self._box(step, 1)
        by = _center(source)[0] - _center(target)[0], source.corner[1] - target.corner[1]
        self._rule(
            f"go{step}",
            (began + 0.85, f"opacity:0;transform:translate({by[0]:.1f}px,{by[1]:.1f}px)"),
            (began + 0.9, f"opacity:1;transform:translate({by[0]:.1f}px,{by[1]:.1f}px)"),
            (began + 2.0, "opacity:1;transform:none"),
        )
        wide = source.size[0] / target.size[0]
        self._rule(
            f"fit{step}",
            (began + 1.0, f"transform:scaleX({wide:.3f})"),
            (began + 1.9, "transform:none"),
            also="transform-box:fill-box;transform-origin:center",
        )
        self._rule(f"old{step}", (began + 1.1, "opacity:1"), (began + 1.6, "opacity:0"))
        self._appears(f"new{step}", began + 1.4, began + 1.9)
        yield f'<g class="go{step}">' + _rect(target, f'class="fit{step}" {_fill(step, 0.28)}')
        taken = self._steps[step]
        yield f'<g class="old{step}" opacity="0">{_phrase(taken.source_words, target)}</g>'
        yield f'<g class="new{step}">{_phrase(taken.target_words, target)}</g></g>'

    def _tally(self, step: int, began: float) -> Iterator[str]:
        """A line below the target for as long as the step takes; the last one stays."""
        is_last = step == len(self._steps) - 1
        stops = [(began + 0.6, "opacity:0"), (began + 0.9, "opacity:1")]
        if not is_last:
            stops += [(began + STEP + 0.3, "opacity:1"), (began + STEP + 0.6, "opacity:0")]
        self._rule(f"tally{step}", *stops)
        taken, at = self._steps[step], (self.width / 2, self.height - SMALL / 2)
        text = f"step {step + 1}   ·   jump {taken.jump:+d}   ·   score {taken.score:.2f}"
        text = text.replace("-", "−").replace("+0", "0")
        hidden = "" if is_last else ' opacity="0"'
        yield f'<g class="tally{step}"{hidden}>' + _text(text, at, SMALL, "quiet") + "</g>"

    def _box(self, step: int, side: int) -> Box:
        """Of the source or of the target, where it stands in this scene."""
        box = [box for box in self._layout.boxes if box.step == step][side]
        x, y = self._flipped((box.corner[0], box.corner[1] + box.size[1]))
        return Box((x, y + DROP * side), box.size, box.number_at, step, box.is_unknown)

    def _flipped(self, point: Point) -> Point:
        return point[0], self._layout.size[1] - point[1]

    def _ribbon(self, step: int) -> str:
        s0, s1, t1, t0 = (self._flipped(corner) for corner in self._layout.ribbons[step])
        t0, t1 = (t0[0], t0[1] + DROP), (t1[0], t1[1] + DROP)
        there, back = curve(s1, t1, vertical=False), curve(t0, s0, vertical=False)
        return f"M{_at(s1)}C{_points(there[1:])}L{_at(t0)}C{_points(back[1:])}Z"

    def _appears(self, name: str, begin: float, end: float) -> None:
        self._rule(name, (begin, "opacity:0"), (end, "opacity:1"))

    def _rule(self, name: str, *stops: tuple[float, str], also: str = "") -> None:
        """From the first stop's look to the last one's, which stay before and after them."""
        share = [100 * second / self._seconds for second, _ in stops]
        looks = [f"{at:.2f}%{{{look}}}" for at, (_, look) in zip(share, stops, strict=True)]
        first, last = f"0%{{{stops[0][1]}}}", f"100%{{{stops[-1][1]}}}"
        self._rules += [
            f"@keyframes {name}{{{first}{''.join(looks)}{last}}}",
            f".{name}{{animation:{name} {self._seconds:.1f}s ease-in-out infinite;{also}}}",
        ]


def _center(box: Box) -> Point:
    return box.corner[0] + box.size[0] / 2, box.corner[1] + box.size[1] / 2


def _phrase(words: Sequence[str], box: Box) -> str:
    return _text(" ".join(words), _center(box))


def _fill(step: int, opacity: float) -> str:
    return f'fill="{color_of(step)}" fill-opacity="{opacity}" stroke="{color_of(step)}"'


def _rect(box: Box, look: str) -> str:
    (x, y), (width, height) = box.corner, box.size
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} rx="4" stroke-width="0.8" vector-effect="non-scaling-stroke" {look}/>'


def _text(text: str, at: Point, size: float = EM, kind: str = "") -> str:
    look = f' class="{kind}" fill="{QUIET}"' if kind else ""
    place = f'x="{at[0]:.1f}" y="{at[1] + 0.35 * size:.1f}" font-size="{size:g}"'
    return f"<text {place}{look}>{escape(text)}</text>"


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _rounded(corners: Sequence[Point]) -> str:
    """Up, along and down again, with round corners."""
    (x0, y0), (_, y), _, (x1, y1) = corners
    bend = CORNER if x0 < x1 else -CORNER
    there, back = f"Q{x0:.1f} {y:.1f} {x0 + bend:.1f} {y:.1f}", f"{x1 - bend:.1f} {y:.1f}"
    return (
        f"M{x0:.1f} {y0:.1f}V{y + CORNER:.1f}{there}"
        f"L{back}Q{x1:.1f} {y:.1f} {x1:.1f} {y + CORNER:.1f}V{y1:.1f}"
    )


def _points(points: Sequence[Point]) -> str:
    return " ".join(map(_at, points))
