"""The sections of quality.py: data, peers and promises of each table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import _promises as promises
import _quality_data as data
from _peers import GRAPH_PEERS, LEIDEN, RESOLUTION_PEERS, VECTOR_PEERS, Peer
from _promises import Checks
from _quality_data import Source
from _real_data import N_NEIGHBORS

NOISE_PEERS = (LEIDEN, "Infomap", "graph-tool PP", "BayesianGaussianMixture", "HDBSCAN")


@dataclass(frozen=True)
class Section:
    """A table: data sets, peers and promises.

    Attributes
    ----------
    title : str
        Description of the data.
    sources : callable
        Yields the data sets; takes ``quick``.
    peers : tuple of Peer
        Peers for graphs and for vectors; those for the type of the data are run.
    checks, quick_checks : callable
        The promises, at full and at quick size.
    planted : bool
        Whether the truth is planted, so that description lengths are compared with
        that of the truth.
    workloads : bool
        Whether the data may be read from --folder.
    repeats : bool
        Whether the data sets are KIND/SEED, shown as one line per kind.
    """

    title: str
    sources: Callable[..., Iterator[Source]]
    peers: tuple[Peer, ...]
    checks: Checks
    quick_checks: Checks = promises.nothing
    planted: bool = False
    workloads: bool = False
    repeats: bool = False


def chosen(peers: tuple[Peer, ...], names: tuple[str, ...]) -> tuple[Peer, ...]:
    return tuple(peer for peer in peers if peer.name in names)


SECTIONS = {
    "paper": Section(
        "Graphs of the paper, 4,000 nodes",
        data.paper,
        GRAPH_PEERS,
        promises.paper,
        promises.each_nmi(0.9),
        planted=True,
        workloads=True,
    ),
    "blocks-100k": Section(
        "Sparse block model graphs with Pitman-Yor sizes, 100,000 nodes",
        data.blocks_100k,
        GRAPH_PEERS,
        promises.blocks_100k,
        promises.each_nmi(0.9),
        planted=True,
        workloads=True,
    ),
    "blocks-1m": Section(
        "Sparse block model graphs with Pitman-Yor sizes, a million nodes",
        data.blocks_1m,
        GRAPH_PEERS,
        promises.each_nmi(0.99),
        promises.each_nmi(0.9),
        planted=True,
        workloads=True,
    ),
    "lfr": Section(
        "LFR benchmark, 100,000 nodes",
        data.lfr,
        GRAPH_PEERS,
        promises.each_nmi(0.999),
        promises.each_nmi(0.9),
        planted=True,
    ),
    "labelled": Section(
        "Real graphs with known classes, seen: constants were chosen with these in sight",
        data.labelled,
        GRAPH_PEERS,
        promises.labelled,
    ),
    "unseen": Section(
        "All other real graphs and classes, unseen: see _real_data.py",
        data.unseen,
        GRAPH_PEERS,
        promises.unseen,
    ),
    "classic": Section(
        "Small graphs that people try first, and dense random graphs",
        data.classic,
        chosen(GRAPH_PEERS, (LEIDEN,)),
        promises.classic,
        promises.classic,
    ),
    "hypergraphs": Section(
        "Projections of random hypergraphs, 2,000 nodes: every hyperedge is a clique",
        data.hypergraphs,
        GRAPH_PEERS,
        promises.nothing,
    ),
    "neighbours": Section(
        f"Real vectors, graphs of {N_NEIGHBORS} nearest neighbours",
        data.neighbours,
        (*GRAPH_PEERS, *RESOLUTION_PEERS),
        promises.neighbours,
    ),
    "blobs": Section(
        "Isotropic Gaussian clusters with Pitman-Yor sizes, 100,000 points",
        data.blobs,
        VECTOR_PEERS,
        promises.blobs,
        workloads=True,
    ),
    "noise": Section(
        "No clusters: random graphs, single Gaussians",
        data.noise,
        chosen((*GRAPH_PEERS, *VECTOR_PEERS), NOISE_PEERS),
        promises.noise,
        repeats=True,
    ),
}
