"""Analysis of results: tradeoff paths, comparison of partitions, cluster sizes, saved models."""
