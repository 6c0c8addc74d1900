"""Shared foundations: arrays, kernels, errors, files and workers."""
