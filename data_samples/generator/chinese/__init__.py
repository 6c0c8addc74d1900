"""The grammar of Chinese sentences with their English."""

from pathlib import Path

from hyperbaton.data_samples.generator import english
from hyperbaton.data_samples.generator.grammar import Grammar

GRAMMAR = Grammar(Path(__file__).parent, ("zh", "en"), 0.76, english)
