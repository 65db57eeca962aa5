"""The data of quality.py: graphs and vectors with planted, known or no clusters."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from _classic import CLASSIC, make_classic
from _npz import Labels, read_npz
from _real_data import (
    SEEN,
    UNSEEN,
    VECTORS,
    Unavailable,
    data_folder,  # noqa: F401 - the benchmarks import it from here
    read_graph,
    read_neighbours,
)
from powercut import Graph, PitmanYor
from powercut.datasets import make_blobs, make_block_graph, make_paper_graph

Data = Graph | npt.NDArray[np.floating]

NOISE_SEEDS = 10
HYPERGRAPH_SEEDS = 3


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
    for name in ("football", "polbooks") if quick else SEEN:
        yield Source(name, partial(read_graph, name, SEEN[name]))


def unseen(*, quick: bool) -> Iterator[Source]:
    for name in ("karate", "dolphins") if quick else UNSEEN:
        yield Source(name, partial(read_graph, *UNSEEN[name]))


def neighbours(*, quick: bool) -> Iterator[Source]:
    for name in VECTORS[:1] if quick else VECTORS:
        yield Source(name, partial(read_neighbours, name))


def classic(*, quick: bool) -> Iterator[Source]:  # noqa: ARG001 - they are all small
    for name in CLASSIC:
        yield Source(name, partial(make_classic, name))


def hypergraphs(*, quick: bool) -> Iterator[Source]:
    """Yield projections of random hypergraphs, without and with communities."""
    n = 200 if quick else 2000
    for seed in range(1 if quick else HYPERGRAPH_SEEDS):
        for size in (3, 5):
            make = partial(make_hypergraph, n, size=size, random_state=seed)
            yield Source(f"uniform-{size}/{seed}", make)
        yield Source(f"papers/{seed}", partial(make_hypergraph, n, random_state=seed))
        for mixing in (0.1, 0.3):
            sizes = PitmanYor(3.0, 0.3)
            make = partial(make_hypergraph, n, sizes=sizes, mixing=mixing, random_state=seed)
            yield Source(f"communities-{mixing}/{seed}", make)


def make_hypergraph(
    n: int,
    *,
    size: int | None = None,
    sizes: PitmanYor | None = None,
    mixing: float = 0.0,
    random_state: int,
) -> tuple[Graph, Labels]:
    """Make a graph like one of co-authors: n papers, whose authors are joined to a clique.

    Parameters
    ----------
    n : int
        Number of authors, and of papers. All authors are equally productive.
    size : int, optional
        Number of authors of each paper; by default 2 plus a Poisson variable of mean 2. An
        author who is drawn twice counts once.
    sizes : PitmanYor, optional
        Distribution of the sizes of communities; by default there are no communities, and the
        truth is one cluster per connected component.
    mixing : float
        Share of papers whose authors are drawn from all communities.
    random_state : int
        Seed.
    """
    random = np.random.default_rng(random_state)
    communities = None if sizes is None else sizes.sample(n, random_state=random_state)
    cliques = []
    for _ in range(n):
        among = np.arange(n)
        if communities is not None and random.random() >= mixing:
            among = np.flatnonzero(communities == communities[random.integers(n)])
        authors = np.unique(random.choice(among, 2 + random.poisson(2) if size is None else size))
        cliques.append(authors[np.array(np.triu_indices(len(authors), 1))])
    graph = _simple(np.concatenate(cliques, axis=1), n)
    if communities is None:
        return graph, connected_components(graph.adjacency, directed=False)[1]
    return graph, communities


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
    simple = _simple(pairs[:, pairs[0] != pairs[1]], n)
    return simple, connected_components(simple.adjacency, directed=False)[1]


def _simple(pairs: npt.NDArray[np.int64], n: int) -> Graph:
    """Return the graph of these edges, in which repeated edges are one."""
    graph = Graph.from_edges(*pairs, n_nodes=n, symmetrize="max")
    return Graph(graph.adjacency.astype(bool))


def make_gaussian(n: int, dimensions: int, seed: int) -> tuple[npt.NDArray[np.float64], Labels]:
    X = np.random.default_rng(seed).normal(size=(n, dimensions))
    return X, np.zeros(n, dtype=np.int64)
