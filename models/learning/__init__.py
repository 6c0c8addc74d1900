"""Linear classifiers over sparse features: the learners of Ni et al. (2011) and of Alrajeh and
Niranjan (2014) behind one interface, for one model or for many small ones."""
