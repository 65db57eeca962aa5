"""Run graph-tool on a graph, in a Python that has it: pip cannot install it.

    python _graph_tool.py GRAPH.npz ANSWER.npz

The answer holds the labels, and the cost of converting and clustering the graph.
"""

import shutil
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from _measure import Cost, measure

FIND = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('graph_tool'))"


def interpreter() -> str | None:
    """Return a Python that has graph-tool: this one, or that of the system."""
    system = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    for python in filter(None, (sys.executable, system)):
        if subprocess.run([python, "-c", FIND], check=False).returncode == 0:
            return python
    return None


def run(python: str, graph: Path, answer: Path, limit: float) -> tuple[npt.NDArray[np.int64], Cost]:
    """Cluster the graph of a file; `subprocess.TimeoutExpired` after so many seconds."""
    subprocess.run([python, __file__, graph, answer], check=True, timeout=limit)
    with np.load(answer) as data:
        seconds, cpu, memory = data["cost"]
        return data["labels"], Cost(float(seconds), float(cpu), int(memory))


def cluster(matrix: sp.csr_matrix) -> npt.NDArray[np.int64]:
    """Fit the assortative block model, which is the fastest and finds the number of clusters."""
    import graph_tool.inference

    graph_tool.openmp_set_num_threads(1)  # runs with several threads differ
    graph_tool.seed_rng(0)
    np.random.seed(0)  # noqa: NPY002 - graph-tool uses it too
    graph = graph_tool.Graph(directed=False)
    graph.add_vertex(matrix.shape[0])
    upper = sp.triu(matrix, format="coo")
    graph.add_edge_list(np.column_stack([upper.row, upper.col]))
    state = graph_tool.inference.minimize_blockmodel_dl(
        graph, state=graph_tool.inference.PPBlockState
    )
    return np.asarray(state.get_blocks().a, dtype=np.int64)


def main(source: str, answer: str) -> None:
    with np.load(source) as data:
        indptr, indices = data["indptr"], data["indices"]
    n = len(indptr) - 1
    matrix = sp.csr_matrix((np.ones(len(indices)), indices, indptr), shape=(n, n))
    cluster(sp.csr_matrix(np.ones((4, 4)) - np.eye(4)))
    labels, cost = measure(lambda: cluster(matrix))
    np.savez(answer, labels=labels, cost=np.array(astuple(cost), dtype=float))


if __name__ == "__main__":
    main(*sys.argv[1:])
