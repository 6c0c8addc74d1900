"""Word-aligned parallel corpora: in memory, in files, from text."""
