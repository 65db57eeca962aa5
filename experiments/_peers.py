"""Other clustering methods (peers): one small function per peer, each run in its own process.

A process can be stopped at a time limit, leaves no threads or memory behind, and can use
another Python: graph-tool is installed in that of the system. `run_peer` starts

    python _peers.py NAME problem.npz answer.npz

which needs only NumPy and the package of the peer. Every peer has a fixed seed and
the default settings of its package, unless its name says otherwise.
"""

import importlib
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.int64]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

SEED = 0
STEPS = 5
# Resolutions of modularity, from coarser to finer than the default.
RESOLUTIONS = (0.1, 0.3, 0.5, 1.0, 2.0)
# Penalties of DP-means, in units of the mean squared distance to the overall mean.
PENALTIES = (0.5, 0.7, 1.0, 1.4, 2.0)
# Upper bound on the number of clusters for BayesianGaussianMixture.
MAX_COMPONENTS = 100


@dataclass(frozen=True)
class Edges:
    """An undirected graph: each edge once, nodes from 0; igraph Leiden alone uses the weights."""

    n: int
    u: IntArray
    v: IntArray
    weights: FloatArray | None = None


@dataclass(frozen=True)
class Vectors:
    """Points, and the number of clusters for the peers that need it."""

    X: FloatArray
    k: int


@dataclass(frozen=True)
class Peer:
    """A clustering method, in two steps of which only the second is timed.

    Attributes
    ----------
    name, module : str
        Name in the tables, and module to import; importing is not timed.
    convert : callable
        Converts `Edges` or `Vectors` to the input type of the package.
    cluster : callable
        Returns labels for the converted input.
    max_edges : int, optional
        Larger graphs are skipped.
    """

    name: str
    module: str
    convert: Callable[[Any], Any]
    cluster: Callable[[Any], npt.ArrayLike]
    max_edges: int | None = None

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]


def to_igraph(edges: Edges) -> Any:
    import igraph

    graph = igraph.Graph(edges.n, np.column_stack([edges.u, edges.v]))
    if edges.weights is not None:
        graph.es["weight"] = edges.weights
    return graph


def igraph_modularity(graph: Any, resolution: float = 1.0) -> npt.ArrayLike:
    random.seed(SEED)  # igraph uses the generator of Python
    weights = "weight" if graph.is_weighted() else None
    found = graph.community_leiden("modularity", weights=weights, resolution=resolution)
    return np.asarray(found.membership)


def igraph_cpm(graph: Any, step: int) -> npt.ArrayLike:
    """Leiden with the constant Potts model, at one of five resolutions.

    Resolutions are in geometric progression, from a fifth of the density of the graph,
    where there are few clusters, to 125 times the density, but at most one half, as no
    cluster of a simple graph is denser than 1.
    """
    density = graph.density()
    resolutions = np.geomspace(density / 5, max(density, min(125 * density, 0.5)), STEPS)
    random.seed(SEED)
    found = graph.community_leiden(objective_function="CPM", resolution=resolutions[step])
    return np.asarray(found.membership)


def leidenalg_surprise(graph: Any) -> npt.ArrayLike:
    import leidenalg

    found = leidenalg.find_partition(graph, leidenalg.SurpriseVertexPartition, seed=SEED)
    return np.asarray(found.membership)


def to_networkit(edges: Edges) -> Any:
    import networkit

    networkit.setNumberOfThreads(1)  # with two, the same seed gives different clusters
    networkit.setSeed(SEED, False)
    graph = networkit.Graph(edges.n)
    graph.addEdges((edges.u, edges.v))
    return graph


def networkit_louvain(graph: Any) -> npt.ArrayLike:
    import networkit

    found = networkit.community.PLM(graph, refine=False).run().getPartition()
    return np.asarray(found.getVector())


def networkit_leiden(graph: Any) -> npt.ArrayLike:
    import networkit

    found = networkit.community.ParallelLeiden(graph).run().getPartition()
    return np.asarray(found.getVector())


def to_infomap(edges: Edges) -> Any:
    import infomap

    network = infomap.Infomap(f"--two-level --silent --seed {SEED + 1}")
    network.add_nodes(range(edges.n))
    network.add_links(zip(edges.u.tolist(), edges.v.tolist(), strict=True))
    return network


def infomap_two_level(network: Any) -> npt.ArrayLike:
    network.run()
    modules = network.get_modules()
    # Isolated nodes may be in no module; they become singletons.
    return np.asarray([modules.get(i, -1 - i) for i in range(network.num_nodes)])


def to_graph_tool(edges: Edges) -> Any:
    import graph_tool

    graph = graph_tool.Graph(directed=False)
    graph.add_vertex(edges.n)
    graph.add_edge_list(np.column_stack([edges.u, edges.v]))
    return graph


def graph_tool_blocks(graph: Any, model: str) -> npt.ArrayLike:
    """Minimise the description length of the assortative ("PP") or the general block model.

    Runs of graph-tool 2.45 with the same seed differ a little.
    """
    import graph_tool.inference

    graph_tool.seed_rng(SEED)
    np.random.seed(SEED)  # noqa: NPY002 - graph-tool uses it too
    kind = {"PP": graph_tool.inference.PPBlockState, "SBM": graph_tool.inference.BlockState}
    state = graph_tool.inference.minimize_blockmodel_dl(graph, state=kind[model])
    return np.asarray(state.get_blocks().a)


def same(problem: Vectors) -> Vectors:
    return problem


def k_means(problem: Vectors) -> npt.ArrayLike:
    from sklearn.cluster import KMeans

    return np.asarray(KMeans(problem.k, random_state=SEED).fit(problem.X).labels_)


def bayesian_mixture(problem: Vectors) -> npt.ArrayLike:
    from sklearn.mixture import BayesianGaussianMixture

    most = min(MAX_COMPONENTS, len(problem.X))
    return np.asarray(
        BayesianGaussianMixture(n_components=most, random_state=SEED).fit_predict(problem.X)
    )


def hdbscan(problem: Vectors) -> npt.ArrayLike:
    """Run HDBSCAN with default parameters; its noise points count as one cluster."""
    from sklearn.cluster import HDBSCAN

    return np.asarray(HDBSCAN(copy=True).fit(problem.X).labels_)


def dp_means(problem: Vectors, share: float) -> npt.ArrayLike:
    from powercut.baselines import DPMeans

    penalty = share * float(problem.X.var(axis=0, dtype=np.float64).sum())
    return np.asarray(DPMeans(penalty).fit(problem.X).labels_)


LEIDEN = "igraph Leiden"
DEFAULT_RESOLUTION = 1.0


def resolution_name(resolution: float) -> str:
    return LEIDEN if resolution == DEFAULT_RESOLUTION else f"{LEIDEN} at {resolution:g}"


GRAPH_PEERS = (
    Peer(LEIDEN, "igraph", to_igraph, igraph_modularity),
    *(
        Peer(f"igraph Leiden CPM {i + 1}/{STEPS}", "igraph", to_igraph, partial(igraph_cpm, step=i))
        for i in range(STEPS)
    ),
    Peer("leidenalg Surprise", "leidenalg", to_igraph, leidenalg_surprise),
    Peer("NetworKit PLM", "networkit", to_networkit, networkit_louvain),
    Peer("NetworKit ParallelLeiden", "networkit", to_networkit, networkit_leiden),
    Peer("Infomap", "infomap", to_infomap, infomap_two_level),
    Peer(
        "graph-tool PP",
        "graph_tool.inference",
        to_graph_tool,
        partial(graph_tool_blocks, model="PP"),
    ),
    Peer(
        "graph-tool SBM",
        "graph_tool.inference",
        to_graph_tool,
        partial(graph_tool_blocks, model="SBM"),
        max_edges=30_000,
    ),
)
RESOLUTION_PEERS = tuple(
    Peer(resolution_name(r), "igraph", to_igraph, partial(igraph_modularity, resolution=r))
    for r in RESOLUTIONS
    if r != DEFAULT_RESOLUTION
)
DP_MEANS_PEERS = tuple(
    Peer(
        f"DP-means at {share:g} of variance",
        "powercut.baselines",
        same,
        partial(dp_means, share=share),
    )
    for share in PENALTIES
)
VECTOR_PEERS = (
    Peer("KMeans at true k", "sklearn.cluster", same, k_means),
    Peer("BayesianGaussianMixture", "sklearn.mixture", same, bayesian_mixture),
    Peer("HDBSCAN", "sklearn.cluster", same, hdbscan),
    *DP_MEANS_PEERS,
)
PEERS = {peer.name: peer for peer in (*GRAPH_PEERS, *RESOLUTION_PEERS, *VECTOR_PEERS)}


@dataclass(frozen=True)
class Answer:
    """Labels, and the seconds that clustering took, without conversion."""

    labels: Labels
    seconds: float


@cache
def interpreter(package: str) -> str | None:
    """Return the Python that has a package: this one, else that of the system, else None."""
    if importlib.util.find_spec(package):
        return sys.executable
    system = shutil.which("python3", path=os.defpath)
    if system is None:
        return None
    look = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({package!r}))"
    return system if subprocess.run([system, "-c", look], check=False).returncode == 0 else None


def run_peer(peer: Peer, problem: Path, limit: float) -> Answer | str:
    """Return the result of a peer, or why there is none: not installed, too slow, failed."""
    python = interpreter(peer.package)
    if python is None:
        return f"{peer.package} is not installed"
    answer = problem.with_name("answer.npz")
    command = [python, __file__, peer.name, str(problem), str(answer)]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"not done in {limit:g} s"
    except subprocess.CalledProcessError as failure:
        last = failure.stderr.strip().splitlines()[-1:]
        return f"failed with status {failure.returncode}: {''.join(last) or 'no message'}"
    with np.load(answer) as data:
        return Answer(data["labels"], float(data["seconds"]))


def write_problem(path: Path, data: Any, k: int = 0) -> None:
    """Write a graph as indptr, indices and weights, if it has any; or X and k."""
    if hasattr(data, "indptr"):
        weights = {} if data.weights is None else {"weights": data.weights}
        np.savez(path, indptr=data.indptr, indices=data.indices, **weights)
    else:
        np.savez(path, X=data, k=k)


def read_problem(path: Path) -> Edges | Vectors:
    """Read what `write_problem` wrote."""
    with np.load(path) as data:
        if "X" in data:
            return Vectors(data["X"], int(data["k"]))
        n = len(data["indptr"]) - 1
        row = np.repeat(np.arange(n), np.diff(data["indptr"]))
        column = data["indices"].astype(np.int64)
        once = row < column
        weights = data["weights"][once] if "weights" in data else None
        return Edges(n, row[once], column[once], weights)


def main(name: str, problem: str, answer: str) -> None:
    peer = PEERS[name]
    importlib.import_module(peer.module)
    native = peer.convert(read_problem(Path(problem)))
    start = time.perf_counter()
    labels = peer.cluster(native)
    seconds = time.perf_counter() - start
    np.savez(answer, labels=np.asarray(labels, dtype=np.int64), seconds=seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
