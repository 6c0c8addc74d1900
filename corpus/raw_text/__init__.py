"""From sentences as people write them to tokens, and back."""
