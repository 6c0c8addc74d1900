"""Training data: text, sentences, corpora, alignments, trees and words."""
