"""Maximum entropy with smoothed priors and parse features (Xiang et al. 2011)."""
