"""Pictures of derivations: layout and SVG."""
