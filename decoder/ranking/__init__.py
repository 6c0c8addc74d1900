"""What both searches share: the best entries, a queue of steps, the best derivations."""
