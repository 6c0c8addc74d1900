"""The Chinese-English grammar; `sentences.sentence` is its entry point."""
