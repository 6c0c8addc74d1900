"""Constraints of a search: on the words of the translation, on the order of the source.

A constraint is a scorer like those of the distortion models. It has no weight and no feature; what
it forbids costs more than anything else can gain.
"""
