"""Compares systems: a grid of systems × distortion limits × tuning replicas, and its results."""
