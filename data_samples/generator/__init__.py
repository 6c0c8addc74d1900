"""Writes the sample treebanks. Not installed: nothing else imports it."""
