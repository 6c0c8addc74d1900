"""Everything that uses references: metrics, significance tests, weight tuning, comparisons."""
