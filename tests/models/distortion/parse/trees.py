"""Trees from brackets, for tests."""

from hyperbaton.corpus.trees.brackets import parse_brackets


def parse_tree(text):
    """The tree and its words."""
    parsed = parse_brackets(text)
    return parsed.tree, list(parsed.leaves)
