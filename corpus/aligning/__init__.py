"""Word alignments: made, symmetrised, with words left out."""
