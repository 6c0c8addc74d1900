"""Phrase pairs: extracted from an aligned corpus, scored, stored and looked up."""
