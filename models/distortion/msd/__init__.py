"""Lexicalised reordering by orientation: monotone, swap, discontinuous."""
