"""Distortion models: what they say about the order in which source phrases are translated."""
