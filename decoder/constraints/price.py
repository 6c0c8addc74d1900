"""Penalties larger than any model score."""

FORBIDDEN = 1e9  # hypotheses with this penalty are discarded
UNWANTED = 1e4  # for each missing or additional word
