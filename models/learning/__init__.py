"""Linear classifiers over sparse features: the learners of Ni et al. (2011) and of Alrajeh and
Niranjan (2014) with one interface, for one model or for many small ones."""
