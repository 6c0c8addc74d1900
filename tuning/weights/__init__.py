"""Tuning the weights of a system: decode, optimise, repeat."""
