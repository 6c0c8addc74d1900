"""Parse trees: brackets, CoNLL-U, dependencies."""
