"""Experiments that reproduce tables and figures of the papers."""
