"""Text, sentences, corpora, alignments, trees and words: what models learn from."""
