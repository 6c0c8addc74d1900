"""A derivation as lines of text: which source words each step translates, and how far it jumps.

basu wa herikoputaa yori zutto atarashikatta .
━━━━━━━                                         the bus
       ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌▶━━━━━━━━━━━━━   was newer
                    ━━━━━━━━━━◀╌╌╌╌╌╌╌╌╌╌╌╌╌╌   than the
"""

from itertools import accumulate

from rich.cells import cell_len

from hyperbaton.decoder.drawing.derivation_layout import Derivation

PHRASE, JUMP, RIGHT, LEFT = "━╌▶◀"
GAP = "  "  # before the target words


def jump_lines(derivation: Derivation) -> list[str]:
    """Draws the source sentence, and one line per step below it."""
    words = derivation.source_words
    widths = [cell_len(word) for word in words]
    starts = list(accumulate((width + 1 for width in widths), initial=0))  # column of each word
    size = starts[-1]
    lines = [" ".join(words)]
    before = 0  # end of the previous phrase, in words
    for start, end, target_start, target_end in derivation.spans:
        line = [" "] * size
        first, last = starts[start], starts[end - 1] + widths[end - 1]
        line[first:last] = PHRASE * (last - first)
        if start > before:
            line[starts[before] : first] = JUMP * (first - starts[before] - 1) + RIGHT
        elif start < before:
            line[last : starts[before]] = LEFT + JUMP * (starts[before] - last - 1)
        before = end
        text = " ".join(derivation.target_words[target_start:target_end])
        lines.append(("".join(line) + GAP + text).rstrip())
    return lines
