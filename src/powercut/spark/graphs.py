"""Clusters of a graph whose edges are a DataFrame."""

import os
from contextlib import closing
from pathlib import Path
from typing import Any

from powercut._validation import check_choice
from powercut.disk import open_blocks
from powercut.disk.manifest import MANIFEST
from powercut.disk.sorting import COMBINE
from powercut.estimators.cut import PowerLawCut
from powercut.graphs._adjacency import check_size
from powercut.remote.graphs import ENTRIES_PER_ROUND, RemoteGraph
from powercut.spark._folder import LABELS, begin, write_labels
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

    Workers number the nodes, sort the edges into rows, and read the rows whenever many have to be
    read: to propose moves and to divide clusters. The driver makes the moves, and works on coarser
    grains of the graph, over rows that are mapped from disk. It needs 64 bytes a node and a
    quarter of the indices. The labels are those of `powercut.PowerLawCut` on the same graph in
    memory.

    Parameters
    ----------
    edges : pyspark.sql.DataFrame
        An edge a row.
    folder : str or path
        A new folder, on a file system that the driver and all workers see under the same
        name. What is returned is read from it.
    src, dst, weight : str
        Columns of `edges`: the ends, whole numbers or strings, and the weight, by default 1.
    symmetrize : {"max", "sum", "mean"}, default="max"
        As in `powercut.disk.write_blocks`.
    n_parts : int, optional
        In how many tasks edges are sorted, by default as many as Spark's shuffles have
        partitions. One needs up to 128 bytes for each edge of it in the memory of a Python
        worker.
    resume : bool, default=False
        Whether to go on with what is in `folder`, from a call with the same arguments that was
        ended by whatever. It ends with the labels it would have had.
    least_entries : int, default=4194304
        A round of moves that reads fewer entries of the matrix (an edge has two) is made on the
        driver: jobs of Spark take a tenth of a second each.
    **parameters
        Of `powercut.PowerLawCut`; a `random_state` that is a number makes results reproducible,
        and can be resumed.

    Returns
    -------
    pyspark.sql.DataFrame
        Columns ``id`` and ``cluster``: nodes are numbered in the order of their ids.
    """
    check_choice("symmetrize", symmetrize, tuple(COMBINE))
    model = PowerLawCut(**parameters)
    path = Path(folder).absolute()
    about = {"src": src, "dst": dst, "weight": weight, "symmetrize": symmetrize}
    begin(path, {**about, "parameters": parameters}, resume=resume)
    session = edges.sparkSession
    with closing(SparkTasks(session)) as tasks:
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
        if not (path / LABELS).exists():
            _fit(model, path, tasks, least_entries)
    return with_labels(ids, path / LABELS)


def _fit(model: PowerLawCut, path: Path, tasks: SparkTasks, least_entries: int) -> None:
    """Write the labels of the graph."""
    graph = open_blocks(path / "graph")
    with tasks.workers(path) as workers:
        graph.workers = RemoteGraph(
            graph, rows=path / "graph", workers=workers, least_entries=least_entries
        )
        write_labels(path, model.fit(graph).labels_)
