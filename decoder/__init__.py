"""Search: a sentence and models in, derivations out."""
