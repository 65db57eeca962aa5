"""Vectors: the data, the cost of their clusters, and the search for the best partition."""
