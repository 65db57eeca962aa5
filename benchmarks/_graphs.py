"""The graphs of the benchmarks, as files that separate processes read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from _experiments import Labels, Unavailable, data_folder
from _measure import in_child
from powercut import Graph
from powercut.datasets import make_block_graph


@dataclass(frozen=True)
class Workload:
    """A graph and its clusters, None if unknown; `make` may raise Unavailable."""

    name: str
    make: Callable[[], tuple[Graph, Labels | None]]

    def file(self, ready: Path | None, scratch: Path) -> Path:
        """Return the file of the graph: in the folder `ready` if given, else made in `scratch`."""
        path = (ready or scratch) / f"{self.name}.npz"
        if ready is None:
            in_child(write, path, self.make)
        elif not path.exists():
            raise Unavailable(f"--folder has no {path.name}")
        return path


def write(path: Path, make: Callable[[], tuple[Graph, Labels | None]]) -> None:
    graph, labels = make()
    known = {} if labels is None else {"labels": labels}
    np.savez(path, indptr=graph.indptr, indices=graph.indices, **known)


def blocks(name: str, n: int, *, degree: float, mixing: float, seed: int) -> Workload:
    """Return a block model graph with Pitman-Yor block sizes."""
    make = partial(make_block_graph, n, degree=degree, mixing=mixing, random_state=seed)
    return Workload(name, make)


BLOCKS_100K = blocks("blocks-100k-0.2", 100_000, degree=20, mixing=0.2, seed=1)
BLOCKS_1M = blocks("blocks-1m-0.2", 1_000_000, degree=22, mixing=0.2, seed=3)
# About the largest that igraph holds in 24 GiB.
BLOCKS_6M = blocks("blocks-6.4m-0.2", 6_400_000, degree=20, mixing=0.2, seed=1)
MIXED_1M = blocks("blocks-1m-0.4", 1_000_000, degree=22, mixing=0.4, seed=3)
SMALL = blocks("blocks-3k-0.2", 3000, degree=20, mixing=0.2, seed=1)


def read_crawl() -> tuple[Graph, None]:
    """Read the web crawl cnr-2000, with shuffled nodes: their order would reveal the sites."""
    folder = data_folder() / "graphs" / "cnr-2000"
    if not folder.is_dir():
        raise Unavailable("the folder of POWERCUT_DATA has no graphs/cnr-2000")
    edges = np.loadtxt(folder / "edges.txt.gz", dtype=np.int64)
    n = int(edges.max()) + 1
    u, v = np.random.default_rng(0).permutation(n)[edges[edges[:, 0] != edges[:, 1]].T]
    both = Graph.from_edges(u, v, n_nodes=n, symmetrize="max")
    return Graph(both.adjacency.astype(bool)), None


CRAWL = Workload("cnr-2000", read_crawl)
