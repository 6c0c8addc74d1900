"""Files: atomic writing, compression, folders of arrays with hashes and checks."""
