"""Translation and jump of a source phrase in one maximum-entropy model with features of the parse
tree (Xiang, Ge and Ittycheriah 2011)."""
