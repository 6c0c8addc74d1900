"""Word classes, a tagger, and unknown words."""
