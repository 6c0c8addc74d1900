"""Everything that repeats a table or a figure of a paper."""
