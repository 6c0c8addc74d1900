"""From raw parallel text to clean training, development and test sets."""
