"""A trained system on disk: its folder, its training, and the exchange with Moses."""
