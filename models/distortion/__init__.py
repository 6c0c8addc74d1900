"""Distortion models: scores for the order in which source phrases are translated."""
