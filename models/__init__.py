"""What is learned from data, and the data itself: text, trees, alignments, corpora."""

from models.kernel_cache import watch_numba

watch_numba()
