"""Word alignment: running the aligner, symmetrisation, excluding words."""
