"""Interoperability with networkx, igraph and scanpy."""
