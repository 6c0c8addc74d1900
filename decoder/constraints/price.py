"""Prices of constraints, above all that models say."""

FORBIDDEN = 1e9  # of what must not be; nothing that it was paid for is kept
UNWANTED = 1e4  # of what should not be: a word too much or too little
