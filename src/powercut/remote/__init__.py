"""Who looks at the rows of a graph: the threads of this process, or tasks elsewhere.

A round of moves is *propose* (what would each node of a block gain elsewhere, against labels that
nobody changes meanwhile: all rows of the block are read) and *commit* (make the moves one after
the other that still lower J: no row is read). Commits are always made by `powercut._core` in
this process. Rows are read by its threads, also where they are mapped from disk, unless a graph has
an engine: then they are read by tasks, which return what the threads would have found, so the
labels are the same.

What an engine serves is the graph itself. Coarser grains of it, and groups of nodes, are
always worked on here, over rows that are mapped from disk.
"""
