"""Run the steps of a search that read rows or points on remote workers.

A round of moves is *propose* (find the best move of each node in a batch against a frozen snapshot
of labels and cluster sums: all rows of the batch are read) and *commit* (apply, in a fixed order,
the moves that still lower J: no row is read). Commits are always made by `powercut._core` in this
process. Its threads read the rows, in memory or mapped from disk, unless the graph has
remote workers. Then tasks on the workers read the rows and return exactly what the threads would
have found, so the labels are the same.

Remote workers read the rows of the original graph only. Coarser levels, and groups of nodes, are
always processed here, over rows that are mapped from disk.

`graphs` sends the requests, `tasks` computes them on a worker. Changes of labels and clusters do
not travel with a task: they are appended to a log in a folder that all workers see
(`shared_state`), and a task carries an offset into it. There is another log in `result_log`: the
results of all tasks, which a resumed search replays.

Points are searched in another way, in passes in which workers move all points at once
(`point_passes`): there are too few exact moves in a batch to be worth a task.
"""
