"""Constraints on the words of the translation and on the order of the source.

Most are scorers like those of the distortion models, without weights and features; they forbid a
step by a penalty larger than any model score. Zones and walls restrict the steps directly, and cost
no time in sentences without them.
"""
