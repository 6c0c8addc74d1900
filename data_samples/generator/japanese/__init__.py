"""The Japanese-English grammar; `sentences.sentence` makes a sentence pair."""
