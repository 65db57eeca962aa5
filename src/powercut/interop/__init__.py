"""Other libraries: networkx, igraph and scanpy."""
