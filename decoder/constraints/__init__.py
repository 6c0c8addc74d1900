"""Constraints of a search: on the words of the translation, on the order of the source.

Most are scorers like those of the distortion models, without weight and feature; what they forbid
costs more than anything else can gain. Zones and walls say which steps there are at all, and cost
nothing where there are none.
"""
