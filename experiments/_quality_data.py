"""The data of quality.py: graphs and vectors with planted, known or no clusters.

Real data are read from the folder in the environment variable POWERCUT_DATA:
graphs/NAME/edges.txt.gz with labels*.txt.gz (one line per node, -1 for no label), and
vectors/NAME/ with labels.txt and pca50.npy or counts.npz.
"""

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import normalize

from _npz import Labels, read_npz
from powercut import Graph
from powercut.datasets import make_blobs, make_block_graph, make_paper_graph

Data = Graph | npt.NDArray[np.floating]

N_NEIGHBORS = 15
N_COMPONENTS = 50
NOISE_SEEDS = 10
# The label file of each graph: some graphs have several kinds of labels.
LABELLED = {
    "football": "labels",
    "polbooks": "labels",
    "sp-school-day1": "labels",
    "email-Eu-core": "labels",
    "eurosis": "labels",
    "polblogs": "labels",
    "wiki": "labels",
    "cora": "labels",
    "citeseer": "labels",
    "lastfm-asia": "labels",
    "as-internet": "labels",
    "cora-full": "labels",
    "fb100-Amherst41": "labels_year",
    "fb100-JohnsHopkins55": "labels_year",
    "wordnet": "labels",
}
VECTORS = ("pbmc68k-reduced", "worm-neuron", "mouse-bladder", "reuters21578")


class Unavailable(Exception):  # noqa: N818 - a reason to skip, not a fault
    """The data are not available; the message is the reason."""


@dataclass(frozen=True)
class Case:
    """A graph or vectors, with the class of each node or point; -1 for unknown."""

    name: str
    data: Data
    truth: Labels


@dataclass(frozen=True)
class Source:
    """A case that is made or read on demand; `load` may raise Unavailable."""

    name: str
    load: Callable[[], tuple[Data, Labels]]

    def case(self) -> Case:
        return Case(self.name, *self.load())


def from_folder(folder: Path | None, source: Source) -> Source:
    """Return a source that reads NAME.npz in a folder, if one is given."""
    return (
        source if folder is None else Source(source.name, partial(_read_npz, folder, source.name))
    )


def _read_npz(folder: Path, name: str) -> tuple[Data, Labels]:
    path = folder / f"{name}.npz"
    if not path.exists():
        raise Unavailable(f"--folder has no {path.name}")
    matrix, labels = read_npz(path)
    if labels is None:
        raise Unavailable(f"{path.name} of --folder has no labels")
    return Graph(matrix) if sp.issparse(matrix) else matrix, labels


def paper(*, quick: bool) -> Iterator[Source]:
    """Yield the paper's graphs, with its 0.001 as standard deviation and as variance."""
    make = partial(make_paper_graph, 300, n_clusters=(4, 7)) if quick else make_paper_graph
    for kind, spread in (("sd", 0.001), ("var", math.sqrt(0.001))):
        for seed in (1,) if quick else (1, 2, 3, 4, 5):
            yield Source(f"paper-{kind}-{seed}", partial(make, spread=spread, random_state=seed))


def blocks_100k(*, quick: bool) -> Iterator[Source]:
    for mixing in (0.2,) if quick else (0.2, 0.4):
        make = partial(make_block_graph, 1000 if quick else 100_000, mixing=mixing, random_state=1)
        yield Source(f"blocks-100k-{mixing}", make)


def blocks_1m(*, quick: bool) -> Iterator[Source]:
    n = 1500 if quick else 1_000_000
    make = partial(make_block_graph, n, degree=22, mixing=0.4, random_state=3)
    yield Source("blocks-1m-0.4", make)


def lfr(*, quick: bool) -> Iterator[Source]:
    n = 2000 if quick else 100_000
    for exponent in (1.5,) if quick else (1.5, 2.0):
        yield Source(f"lfr-{exponent:g}", partial(make_lfr, n, exponent))


def make_lfr(n: int, exponent: float) -> tuple[Graph, Labels]:
    """Make a graph of Lancichinetti, Fortunato and Radicchi with NetworKit.

    Degrees follow a power law of exponent 2 with mean 20 and at most 200. Community sizes
    follow a power law of the given exponent, from 20 to 5,000 (or a tenth of the nodes): a
    node of the largest degree has 120 neighbours in its community, and most communities are
    too small for that. Each node has a share 0.4 of its neighbours in other communities.
    """
    try:
        import networkit
    except ImportError:
        raise Unavailable("networkit, which makes it, is not installed") from None
    networkit.setNumberOfThreads(1)  # with more, the seed does not determine the graph
    networkit.setSeed(1, False)
    generator = networkit.generators.LFRGenerator(n)
    generator.generatePowerlawDegreeSequence(20, 200, -2)
    generator.generatePowerlawCommunitySizeSequence(20, min(5000, n // 10), -exponent)
    generator.setMu(0.4)
    generator.run()
    graph = Graph(networkit.algebraic.adjacencyMatrix(generator.getGraph()))
    return graph, np.asarray(generator.getPartition().getVector())


def labelled(*, quick: bool) -> Iterator[Source]:
    for name in ("football", "polbooks") if quick else LABELLED:
        yield Source(name, partial(_read_graph, name))


def data_folder() -> Path:
    if "POWERCUT_DATA" not in os.environ:
        raise Unavailable("the environment variable POWERCUT_DATA is not set")
    return Path(os.environ["POWERCUT_DATA"])


def _read_graph(name: str) -> tuple[Graph, Labels]:
    folder = data_folder() / "graphs" / name
    if not folder.is_dir():
        raise Unavailable(f"the folder of POWERCUT_DATA has no graphs/{name}")
    truth = np.loadtxt(folder / f"{LABELLED[name]}.txt.gz", dtype=np.int64)
    u, v = np.loadtxt(folder / "edges.txt.gz", dtype=np.int64, unpack=True)
    return Graph.from_edges(u, v, n_nodes=len(truth), symmetrize="max"), truth


def neighbours(*, quick: bool) -> Iterator[Source]:
    for name in VECTORS[:1] if quick else VECTORS:
        yield Source(name, partial(_read_neighbours, name))


def _read_neighbours(name: str) -> tuple[Graph, Labels]:
    """Read vectors and make their symmetric, unweighted graph of nearest neighbours."""
    folder = data_folder() / "vectors" / name
    if not folder.is_dir():
        raise Unavailable(f"the folder of POWERCUT_DATA has no vectors/{name}")
    truth = np.loadtxt(folder / "labels.txt", dtype=np.int64)
    reduced = folder / "pca50.npy"
    X = np.load(reduced) if reduced.exists() else _document_vectors(folder / "counts.npz")
    nearest = kneighbors_graph(X, N_NEIGHBORS, include_self=False)
    return Graph(nearest.maximum(nearest.T)), truth


def _document_vectors(counts: Path) -> npt.NDArray[np.float64]:
    """Return unit vectors in 50 dimensions from word counts, by tf-idf and truncated SVD."""
    weighted = TfidfTransformer().fit_transform(sp.load_npz(counts))
    return np.asarray(normalize(TruncatedSVD(N_COMPONENTS, random_state=0).fit_transform(weighted)))


def blobs(*, quick: bool) -> Iterator[Source]:
    n = 200 if quick else 100_000
    make = partial(make_blobs, n, concentration=1.0, discount=0.2, spread=3.0, random_state=11)
    yield Source("blobs-3", make)
    make = partial(make_blobs, n, concentration=10.0, discount=0.5, spread=1.5, random_state=12)
    yield Source("blobs-1.5", make)


def noise(*, quick: bool) -> Iterator[Source]:
    """Yield random graphs and single Gaussians; the truth is one cluster per component."""
    n = 400 if quick else 10_000
    for degree in (5, 20):
        for seed in range(2 if quick else NOISE_SEEDS):
            yield Source(f"random-graph-{degree}/{seed}", partial(make_random, n, degree, seed))
    for dimensions in (2, 20):
        for seed in range(2 if quick else NOISE_SEEDS):
            make = partial(make_gaussian, n // 2, dimensions, seed)
            yield Source(f"gaussian-{dimensions}d/{seed}", make)


def make_random(n: int, degree: float, seed: int) -> tuple[Graph, Labels]:
    """Make an Erdos-Renyi graph: a number of edges, each between two random nodes."""
    random = np.random.default_rng(seed)
    pairs = random.integers(0, n, (2, int(n * degree / 2)))
    u, v = pairs[:, pairs[0] != pairs[1]]
    graph = Graph.from_edges(u, v, n_nodes=n, symmetrize="max")
    simple = Graph(graph.adjacency.astype(bool))  # merges repeated edges
    return simple, connected_components(simple.adjacency, directed=False)[1]


def make_gaussian(n: int, dimensions: int, seed: int) -> tuple[npt.NDArray[np.float64], Labels]:
    X = np.random.default_rng(seed).normal(size=(n, dimensions))
    return X, np.zeros(n, dtype=np.int64)
