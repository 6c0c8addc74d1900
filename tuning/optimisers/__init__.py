"""Optimisers of feature weights on pools of hypotheses."""
