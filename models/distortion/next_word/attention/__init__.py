"""P(next word | current word) by a small network that reads the whole sentence."""
