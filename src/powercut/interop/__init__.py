"""Interoperability with networkx, igraph, scanpy and GraphRAG."""
