"""The price of what a constraint forbids. Nothing that it was paid for is kept."""

FORBIDDEN = 1e9
