"""Scores of translations, and whether their differences are real."""
