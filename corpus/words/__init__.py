"""Classes and tags of words, and unknown words."""
