"""Slow, obvious twins of fast code. They share nothing with what they check."""

from collections.abc import Iterable, Sequence

Nested = tuple[str, "list[Nested] | str"]  # label and children, or tag and word


def parse_nested(text: str) -> Nested:
    """A recursive reader of well-formed brackets such as (S (N cats) (V sleep))."""

    def node(at: int) -> tuple[Nested, int]:
        assert tokens[at] == "("
        label, at = tokens[at + 1], at + 2
        if tokens[at] != "(":
            return (label, tokens[at]), at + 2
        children = []
        while tokens[at] == "(":
            child, at = node(at)
            children.append(child)
        return (label, children), at + 1

    tokens = text.replace("(", " ( ").replace(")", " ) ").split()
    return node(0)[0]


def nested_brackets(tree: Nested) -> str:
    label, inside = tree
    if isinstance(inside, str):
        return f"({label} {inside})"
    return f"({label} {' '.join(map(nested_brackets, inside))})"


def nested_leaves(tree: Nested) -> list[str]:
    _label, inside = tree
    if isinstance(inside, str):
        return [inside]
    return [word for child in inside for word in nested_leaves(child)]


def nested_spans(tree: Nested, start: int = 0) -> list[tuple[str, int, int]]:
    """Label, start and end of every node in preorder."""
    label, inside = tree
    spans = [(label, start, start + len(nested_leaves(tree)))]
    if not isinstance(inside, str):
        for child in inside:
            spans += nested_spans(child, start)
            start += len(nested_leaves(child))
    return spans


def descendants(heads: Sequence[int], word: int) -> set[int]:
    """The word and everything below it, for heads given as positions (−1 for roots)."""
    below = {word}
    for other, head in enumerate(heads):
        if head == word:
            below |= descendants(heads, other)
    return below


def is_projective(heads: Sequence[int]) -> bool:
    """Every word together with its descendants is a range of positions."""
    families = (descendants(heads, word) for word in range(len(heads)))
    return all(max(family) - min(family) + 1 == len(family) for family in families)


def move_distances(links: Iterable[tuple[int, int]]) -> list[int]:
    """NP − CP − 1 along the aligned target words of one sentence pair."""
    links = list(links)
    distances, current = [], -1
    for target in sorted({t for _, t in links}):
        sources = [s for s, t in links if t == target]
        distances.append(min(sources) - current - 1)
        current = max(sources)
    return distances


def visit_sequence(links: Iterable[tuple[int, int]]) -> list[int]:
    """The visit sequence of one sentence from its (source, target) links."""
    first: dict[int, int] = {}
    for source, target in links:
        first[source] = min(target, first.get(source, target))
    return sorted(first, key=lambda source: (first[source], source))
