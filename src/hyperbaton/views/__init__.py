"""Output for people: text, tables and pictures."""
