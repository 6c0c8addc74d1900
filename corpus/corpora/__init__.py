"""Word-aligned parallel corpora: in memory, on disk, read from text."""
