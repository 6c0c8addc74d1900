"""What is learned from data, and the data itself: text, trees, alignments, corpora."""
