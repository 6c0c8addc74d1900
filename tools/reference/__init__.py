"""Pages of docs/reference/ that are made from the code."""
