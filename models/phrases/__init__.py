"""Phrase pairs: extraction from an aligned corpus, scoring, storage and lookup."""
