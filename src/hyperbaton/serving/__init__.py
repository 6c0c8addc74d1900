"""The HTTP service: an API and a web page."""
