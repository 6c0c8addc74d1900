"""Models of the next source word: nine-class, pair and sequence (Goto et al. 2013)."""
