"""Constraints of a search: on the words of the translation.

A constraint is a scorer like those of the distortion models. It has no weight and no feature; what
it forbids costs more than anything else can gain.
"""
