"""Metrics: additive statistics per sentence, and a score of their sums."""
