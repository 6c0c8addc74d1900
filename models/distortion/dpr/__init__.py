"""Distance-based phrase reordering (Ni et al. 2011; Alrajeh and Niranjan 2014)."""
