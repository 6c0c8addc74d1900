"""Generates the sample treebanks. Not installed, and not imported by anything else."""
