"""Two small parallel treebanks that ship with the project; README.md describes them."""
