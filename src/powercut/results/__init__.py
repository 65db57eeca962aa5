"""What comes after a fit: paths, comparisons, cluster sizes, saved models."""
