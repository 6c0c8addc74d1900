"""Text and corpora: sentences, alignments, trees, word classes."""
