"""The grammar of Japanese sentences with their English."""

from pathlib import Path

from hyperbaton.data_samples.generator import english
from hyperbaton.data_samples.generator.grammar import Grammar
from hyperbaton.data_samples.generator.japanese import verbs

GRAMMAR = Grammar(Path(__file__).parent, ("ja", "en"), 0.75, english, verbs)
