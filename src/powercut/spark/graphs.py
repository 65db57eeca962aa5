"""Cluster a graph whose edges are a DataFrame."""

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from powercut._validation import check_choice
from powercut.disk import open_blocks
from powercut.disk.manifest import MANIFEST
from powercut.disk.sorting import COMBINE
from powercut.estimators.cut import PowerLawCut
from powercut.graphs._adjacency import check_size
from powercut.remote.graphs import ENTRIES_PER_ROUND, RemoteGraph
from powercut.spark._folder import LABELS, begin, check_rows, has_labels, write_labels
from powercut.spark._ids import is_written, read_numbered, with_labels, write_numbered
from powercut.spark._rows import entries_of, write_rows
from powercut.spark._tasks import SparkTasks


def cluster(
    edges: Any,
    *,
    folder: str | os.PathLike[str],
    src: str = "src",
    dst: str = "dst",
    weight: str | None = None,
    symmetrize: str = "max",
    n_parts: int | None = None,
    resume: bool = False,
    least_entries: int = ENTRIES_PER_ROUND,
    **parameters: Any,
) -> Any:
    """Find the clusters of a graph from a DataFrame of its edges.

    Workers number the nodes, sort the edges into rows, and divide clusters; if there are billions
    of edges, they also propose the moves of nodes. The driver makes the moves, and searches the
    coarser levels of the graph, over rows that are mapped from disk. It needs 64 bytes per node and
    a quarter of the indices in memory. The labels equal those of `powercut.PowerLawCut` on the same
    graph in memory.

    Parameters
    ----------
    edges : pyspark.sql.DataFrame
        One edge per row.
    folder : str or path
        A new folder, on a file system that the driver and all workers see under the same
        name. The returned DataFrame reads from it.
    src, dst, weight : str
        Columns of `edges`: the two ends, integers or strings, and the weight, by default 1.
    symmetrize : {"max", "sum", "mean"}, default="max"
        As in `powercut.disk.write_blocks`.
    n_parts : int, optional
        In how many tasks edges are sorted, by default as many as Spark's shuffles have
        partitions. A task needs up to 128 bytes for each of its edges in the memory of a Python
        worker.
    resume : bool, default=False
        Whether to continue in `folder` from an interrupted call with the same arguments and
        edges; others are refused. The labels are those that the interrupted call would have
        returned.
    least_entries : int, default=4294967296
        A round of moves that reads fewer entries of the matrix (two per edge) runs on the driver,
        because each of its Spark jobs, about 170, takes a tenth of a second.
    **parameters
        Parameters of `powercut.PowerLawCut`. An integer `random_state` makes results reproducible,
        and lets an interrupted call be resumed.

    Returns
    -------
    pyspark.sql.DataFrame
        Columns ``id`` and ``cluster``, and with ``tree=True`` the cluster at each level of the
        tree, ``level_0`` (connected components), ``level_1``, ... Nodes are numbered in the order
        of their ids.
    """
    check_choice("symmetrize", symmetrize, tuple(COMBINE))
    model = PowerLawCut(**parameters)
    path = Path(folder).absolute()
    about = {"src": src, "dst": dst, "weight": weight, "symmetrize": symmetrize}
    begin(path, {**about, "parameters": parameters}, resume=resume)
    session = edges.sparkSession
    with closing(SparkTasks(session)) as tasks:
        tasks.describe("compare the edges with those of an interrupted call")
        check_rows(path, edges.select(src, dst, *([] if weight is None else [weight])))
        if not is_written(path / "ids"):
            tasks.describe("number the nodes")
            ends = (edges.select(edges[end].alias("id")) for end in (src, dst))
            write_numbered(next(ends).union(next(ends)).distinct(), path / "ids")
        ids, n_nodes = read_numbered(session, path / "ids")
        check_size(n_nodes)
        if not (path / "graph" / MANIFEST).exists():
            write_rows(
                entries_of(edges, ids, src, dst, weight),
                path / "graph",
                n_nodes=n_nodes,
                n_parts=n_parts or int(session.conf.get("spark.sql.shuffle.partitions")),
                symmetrize=symmetrize,
                tasks=tasks,
            )
        if not has_labels(path, n_nodes):
            _fit(model, path, tasks, least_entries)
    return with_labels(ids, path / LABELS)


def _fit(model: PowerLawCut, path: Path, tasks: SparkTasks, least_entries: int) -> None:
    """Fit the graph and write its labels."""
    graph = open_blocks(path / "graph")
    with tasks.workers(path) as workers:
        graph.workers = RemoteGraph(
            graph, rows=path / "graph", workers=workers, least_entries=least_entries
        )
        model.fit(graph)
    labels = model.labels_
    if model.tree:
        levels = (model.tree_.cut(level=level) for level in range(model.tree_.n_levels))
        labels = np.column_stack([labels, *levels])
    write_labels(path, labels)
