"""Derivations as pictures: where everything goes, and the SVG that any page can show."""
