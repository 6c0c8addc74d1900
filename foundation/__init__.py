"""Arrays, kernels, errors, files and workers: what everything else stands on."""
