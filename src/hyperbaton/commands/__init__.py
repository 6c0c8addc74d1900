"""One module per command. Heavy imports belong inside functions."""
