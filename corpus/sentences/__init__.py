"""Sentences with their layers and marks."""
