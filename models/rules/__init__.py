"""Hierarchical rules: extraction from an aligned corpus, scoring, storage, Moses' format."""
