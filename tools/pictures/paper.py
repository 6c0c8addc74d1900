"""A sheet to draw on: an SVG with a ground of its own, for light and dark pages, words as text."""

from xml.sax.saxutils import escape

from hyperbaton.decoder.drawing.derivation_layout import Point

INK, QUIET, GROUND, EDGE = "#1f2328", "#656d76", "#ffffff", "#d0d7de"
DARK = (
    "@media (prefers-color-scheme:dark){"
    "svg{color:#e6edf3;fill:#e6edf3}.ground{fill:#161b22;stroke:#30363d}.quiet{fill:#9198a1}}"
)
GREY = "#8c959f"  # of lines and boxes, on both grounds


class Paper:
    """Lengths are in pixels; text stands in the middle of its place unless told otherwise."""

    def __init__(self, width: float, height: float) -> None:
        self.size = f'width="{width:.0f}" height="{height:.0f}"'
        self._view = f"0 0 {width:.0f} {height:.0f}"
        self._parts: list[str] = []

    def add(self, *parts: str) -> None:
        self._parts += parts

    def text(self, at: Point, text: str, size: float = 13, look: str = "") -> None:
        self.add(
            f'<text x="{at[0]:.1f}" y="{at[1] + 0.35 * size:.1f}" font-size="{size:g}"{look}>'
            f"{escape(text)}</text>"
        )

    def quiet(self, at: Point, text: str, size: float = 12, look: str = "") -> None:
        self.text(at, text, size, f' class="quiet" fill="{QUIET}"{look}')

    def box(
        self, corner: Point, size: Point, color: str = GREY, shade: float = 0.12, look: str = ""
    ) -> None:
        self.add(
            f'<rect x="{corner[0]:.1f}" y="{corner[1]:.1f}" width="{size[0]:.1f}" '
            f'height="{size[1]:.1f}" rx="4" fill="{color}" fill-opacity="{shade:.2f}" '
            f'stroke="{color}"{look}/>'
        )

    def line(self, path: str, color: str = GREY, look: str = "") -> None:
        self.add(f'<path d="{path}" fill="none" stroke="{color}"{look}/>')

    def coverage(self, corner: Point, covered: list[bool], side: float = 7) -> None:
        """A square for each source word, full where it is translated."""
        squares = [
            f"M{corner[0] + place * (side + 1):.1f} {corner[1]:.1f}h{side:g}v{side:g}h-{side:g}z"
            for place in range(len(covered))
        ]
        full = "".join(square for square, is_full in zip(squares, covered, strict=True) if is_full)
        self.line("".join(squares), look=' stroke-width="0.7"')
        self.add(f'<path d="{full or "M0 0"}" fill="{GREY}"/>')

    def finished(self, title: str, description: str, style: str = "") -> str:
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{self._view}" {self.size} '
                f'role="img" font-family="sans-serif" color="{INK}" fill="{INK}" '
                'text-anchor="middle">',
                f"<title>{escape(title)}</title>",
                f"<desc>{escape(description)}</desc>",
                f"<style>{DARK}{style}</style>",
                f'<rect class="ground" {self.size} rx="8" fill="{GROUND}" stroke="{EDGE}"/>',
                *self._parts,
                "</svg>\n",
            ]
        )
