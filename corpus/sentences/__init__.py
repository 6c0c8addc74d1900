"""Sentences with their layers and markup."""
