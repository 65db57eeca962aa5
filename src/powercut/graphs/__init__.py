"""Graphs: the data, what their clusters cost, and the search for the best partition."""
