"""Rows of a graph, or points, that are read by tasks on remote workers.

A round of moves is *propose* (find the best move of each node in a batch against a frozen snapshot
of labels and cluster sums: all rows of the batch are read) and *commit* (apply, in a fixed order,
the moves that still lower J: no row is read). Commits are always made by `powercut._core` in this
process. Rows are read by its threads, also where they are mapped from disk, unless the graph has
remote workers. Then tasks on the workers read the rows and return exactly what the threads would
have found, so the labels are the same.

Remote workers read the rows of the original graph only. Coarser levels, and groups of nodes, are
always processed here, over rows that are mapped from disk.
"""
