"""The HTTP service: systems behind an API and a page."""
