"""Graphs: the data, the cost of a cluster, and the search for the best partition."""
