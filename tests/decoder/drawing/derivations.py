"""Derivations of any shape, to be drawn."""

from hypothesis import strategies as st

from hyperbaton.decoder.explanation import Explanation, Part, Step


def make_explanation(lengths, order, target_lengths, letter="w"):
    """Phrases of given lengths in source order, visited in `order`; each word linked to one."""
    starts = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    source = tuple(f"{letter}{n}" for n in range(starts[-1]))
    steps, links, target, end = [], [], [], 0
    covered = [False] * len(source)
    for place, size in zip(order, target_lengths, strict=True):
        span = starts[place], starts[place + 1]
        begin = len(target)
        target += [f"t{n}" for n in range(begin, begin + size)]
        links += [(span[0], begin)] * bool(size)
        covered[span[0] : span[1]] = [True] * (span[1] - span[0])
        steps.append(
            Step(
                span, (begin, len(target)), source[span[0] : span[1]], tuple(target[begin:]),
                False, span[0] - end, tuple(covered), (-1.0,), (-0.5,) * size, 0.0, (),
            )
        )  # fmt: skip
        end = span[1]
    parts = (Part("all", 0, 1, False),)
    return Explanation(
        source, tuple(target), ("lm",), (0.5,), parts, tuple(steps), (-1.0,), tuple(links), -2.0
    )


@st.composite
def explanations(draw):
    n = draw(st.integers(1, 8))
    lengths = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    target = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return make_explanation(lengths, draw(st.permutations(range(n))), target)
