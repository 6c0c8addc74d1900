"""A trained system on disk: its folder, its training, import from and export to Moses."""
