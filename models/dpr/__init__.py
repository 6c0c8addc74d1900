"""Distance phrase reordering: examples of how phrases move, and features to predict it from."""
