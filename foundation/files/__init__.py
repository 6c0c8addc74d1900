"""Files that are complete or absent: writing, compression, arrays with their seals and laws."""
