"""The chart search for hierarchical rules: rules of a sentence, matching, cells, the forest."""
