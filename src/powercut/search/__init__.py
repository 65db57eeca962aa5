"""What the searches of graphs and of vectors share."""
