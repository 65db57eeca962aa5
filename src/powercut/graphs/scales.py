r"""Nested partitions of a graph at all scales, around a given one.

For ascending resolutions :math:`\gamma` the modularity

.. math:: \sum_c \left( A_c - \gamma \frac{V_c^2}{M} \right)

is maximised, each time inside the clusters of the resolution before: weight between those is left
out, volumes :math:`V_c` and the total weight M stay. From coarse to fine is better than the
reverse: a wrong merge of small clusters is never undone.

Above the given partition, its clusters are the nodes that move, so that all clusters are unions of
them. Below it, the nodes of the graph move inside its clusters. Which of the partitions to keep is
not decided here: see `powercut.graphs.nested`.

To get below a given size there is `divided_clusters`: each cluster p is a graph of its own, of
total weight :math:`A_p`, whose modularity is maximised. Its resolution does not depend on the size
of the whole graph.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from powercut import _core
from powercut._typing import LABEL, BoolArray, FloatArray, Labels, Random
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.nested import parents_of
from powercut.graphs.scores import GraphObjective, Modularity
from powercut.partition import compact_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter, until_expired
from powercut.search.objective import Objective, Regulariser

# The lowest resolution, the factor from one to the next, and the range for finer clusters: a fit of
# a single cluster is divided into two or three at its lower end.
LOWEST, STEP = 2**-2.5, 2**0.5
FINER = (2**-4.5, 8.0)
# At each resolution the best of this many searches is taken, if the matrix of the nodes, or of the
# clusters, has at most so many entries. More would take longer than the fit; and searches of many
# clusters differ by less than .0003 in modularity.
N_STARTS, FEW_ENTRIES, FEW_BETWEEN_CLUSTERS = 4, 2**18, 2**15
# Cycles of moves end after this many, or when one gains less than the fraction.
MAX_CYCLES, NEGLIGIBLE_GAIN = 3, 1e-5


@dataclass(frozen=True)
class Scale:
    """A partition, and the resolution at which it was found: 0 for connected components."""

    resolution: float
    labels: Labels

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max(initial=-1)) + 1


def coarser_scales(
    level: Level,
    labels: Labels,
    *,
    inside: Labels | None = None,
    random: Random,
    reporter: ProgressReporter | None = None,
) -> list[Scale]:
    """Return partitions into unions of clusters, each nested in the one before.

    Parameters
    ----------
    level : Level
        The graph.
    labels : ndarray of int32
        Compact labels of the given partition.
    inside : ndarray of int32, optional
        Compact labels of the coarsest partition; by default that into connected components.
    random : numpy.random.Generator
        The order in which clusters are visited.
    reporter : ProgressReporter, optional
        Reports progress, and may end the search early, with the scales so far.

    Returns
    -------
    list of Scale
        The coarsest partition first; all are coarser than `labels`.

    Examples
    --------
    Four cliques in a row:

    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.graphs.level import Level
    >>> A = np.kron(np.eye(4), np.ones((5, 5)) - np.eye(5))
    >>> for i in (4, 9, 14):
    ...     A[i, i + 1] = A[i + 1, i] = 1
    >>> cliques = np.repeat(np.arange(4, dtype=np.int32), 5)
    >>> random = np.random.default_rng(0)
    >>> scales = coarser_scales(Level.finest(Graph(A)), cliques, random=random)
    >>> [scale.n_clusters for scale in scales]
    [1, 2]
    """
    n_clusters = int(labels.max(initial=-1)) + 1
    clusters = level.aggregate(labels, n_clusters, None)
    resolutions = _resolutions(LOWEST, _highest_ratio(clusters))
    first = Scale(0.0, clusters.components if inside is None else parents_of(labels, inside))
    n_starts = N_STARTS if clusters.n_entries <= FEW_BETWEEN_CLUSTERS else 1
    return [
        Scale(scale.resolution, scale.labels[labels])
        for scale in _ever_finer(clusters, first, resolutions, n_starts, random, reporter)
        if scale.n_clusters < n_clusters
    ]


def finer_scales(
    level: Level,
    labels: Labels,
    *,
    random: Random,
    reporter: ProgressReporter | None = None,
) -> list[Scale]:
    """Return partitions of the clusters, each nested in the one before; all finer than `labels`.

    The parameters are those of `coarser_scales`.
    """
    n_starts = N_STARTS if level.n_entries <= FEW_ENTRIES else 1
    first = Scale(0.0, labels)
    return _ever_finer(level, first, _resolutions(*FINER), n_starts, random, reporter)[1:]


def _resolutions(lowest: float, highest: float) -> list[float]:
    resolutions = [lowest]
    while resolutions[-1] <= highest:
        resolutions.append(resolutions[-1] * STEP)
    return resolutions[:-1]


def _ever_finer(
    level: Level,
    first: Scale,
    resolutions: list[float],
    n_starts: int,
    random: Random,
    reporter: ProgressReporter | None,
) -> list[Scale]:
    """Return the first scale, and those inside it at ascending resolutions that are finer."""
    reporter = ProgressReporter() if reporter is None else reporter
    found = [first]
    for resolution in reporter.each(resolutions, of=len(resolutions)):
        if found[-1].n_clusters == level.n:
            break
        with until_expired(reporter):
            scale = _finer(level, found[-1], resolution, n_starts, random, reporter)
        if reporter.expired():  # the scale is not there, or was not searched to the end
            break
        found.append(scale)
    return distinct(found)


def distinct(scales: list[Scale]) -> list[Scale]:
    """Return the scales that are finer than the one before, and the first."""
    finer = (fine for coarse, fine in pairwise(scales) if fine.n_clusters > coarse.n_clusters)
    return [*scales[:1], *finer]


def _highest_ratio(clusters: Level) -> float:
    """Return the resolution from which on no two clusters are worth merging."""
    rows, columns, weights = _entries(clusters)
    other = rows != columns
    volume = clusters.nodes[0]
    expected = volume[rows[other]] * (volume[columns[other]] / (float(volume.sum()) or 1.0))
    return float((weights[other] / expected).max(initial=0.0))


def _finer(
    level: Level,
    scale: Scale,
    resolution: float,
    n_starts: int,
    random: Random,
    cancel: _core.CancellationToken | None,
) -> Scale:
    """Return the clusters of highest modularity inside those of a coarser scale."""
    objective = modularity(resolution, float(level.nodes[0].sum()))
    if level.is_large:  # where copies of the graph would take longer than all the rest
        every = np.ones(scale.n_clusters, dtype=np.bool_)
        labels, _ = level.divide(scale.labels, objective, every, random=random, cancel=cancel)
        return Scale(resolution, level.split_components(labels, cancel)[0])
    inside = without_weight_between(level, scale.labels)
    searches = [
        Multilevel(inside, objective, random=random, cancel=cancel) for _ in range(n_starts)
    ]
    found = [_improved(search) for search in searches]
    best = int(np.argmin([search.path[-1] for search in searches]))
    # No edge leads from one coarser cluster to another, so connected clusters lie inside them.
    return Scale(resolution, inside.split_components(found[best], cancel)[0])


def _improved(search: Multilevel) -> Labels:
    """Run cycles from singletons until one gains hardly anything."""
    labels = np.arange(search.level.n, dtype=LABEL)
    for _ in range(MAX_CYCLES):
        cycled = search.cycle(labels)
        labels = cycled.labels
        if cycled.path[0] - cycled.path[-1] <= NEGLIGIBLE_GAIN * abs(cycled.path[-1]):
            break
    return labels


def divided_clusters(
    level: Level,
    labels: Labels,
    divisible: BoolArray,
    *,
    resolution: float = 1.0,
    thorough: bool = False,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> tuple[Labels, int]:
    r"""Divide each cluster p by the modularity of its own subgraph.

    A division into c = 1, 2, ... has the modularity :math:`\sum_c A_c - \gamma A_p (V_c/V_p)^2`.
    Every subcluster is connected; clusters that are not divisible stay as they are.

    Parameters
    ----------
    level : Level
        The graph.
    labels : ndarray of int32
        Compact labels of the clusters.
    divisible : ndarray of bool
        Whether each cluster is to be divided.
    resolution : float
        :math:`\gamma`.
    thorough : bool
        Whether to search also in large clusters with hardly a triangle: a tree has parts, too, but
        no more than by chance.
    random : numpy.random.Generator
        The order in which nodes are visited.
    cancel : CancellationToken, optional
        Cancellation token.

    Returns
    -------
    labels, n_labels
        Subclusters, and clusters that were not divided.
    """
    stats = level.cluster_stats(labels)
    # With these volumes, gamma V^2 is the second term of each cluster's own modularity.
    scale = np.sqrt(stats.inside) / np.where(stats.volume > 0, stats.volume, 1.0)
    own = replace(level, nodes=(level.nodes[0] * scale[labels], *level.nodes[1:]), workers=None)
    objective = modularity(resolution, 1.0)
    parts, n_parts = own.divide(labels, objective, divisible, random=random, cancel=cancel)
    whole = divisible & (np.bincount(parents_of(parts, labels)) == 1)
    if thorough and whole.any():
        among = np.where(whole[labels], labels, len(whole) + np.arange(level.n, dtype=LABEL))
        search = Multilevel(
            without_weight_between(own, among), objective, random=random, cancel=cancel
        )
        divided = np.where(whole[labels], n_parts + _improved(search), parts)
        parts, n_parts = compact_labels(divided)
    if n_parts == len(divisible):
        return labels, n_parts
    connected, _ = level.split_components(parts, cancel)
    # Clusters that are not to be divided may be disconnected.
    return compact_labels(np.where(divisible[labels], n_parts + connected, labels))


def modularity(resolution: float, total_weight: float) -> GraphObjective:
    """Return modularity as an objective, without a prior on the sizes."""
    return Objective(Modularity(resolution, total_weight), Regulariser(PitmanYor(1.0, 0.5), 0.0))


def without_weight_between(level: Level, groups: Labels) -> Level:
    """Return the level without the weight between groups; the volumes stay."""
    rows, columns, weights = _entries(level)
    inside = groups[rows] == groups[columns]
    indptr = np.zeros(level.n + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows[inside], minlength=level.n), out=indptr[1:])
    return replace(level, graph=(indptr, columns[inside], weights[inside]), workers=None)


def _entries(level: Level) -> tuple[Labels, Labels, FloatArray]:
    """Return row, column and weight of each entry of the matrix."""
    indptr, columns, weights = level.graph
    assert indptr is not None
    assert columns is not None
    rows = np.repeat(np.arange(level.n, dtype=LABEL), np.diff(indptr))
    weights = np.ones(len(columns)) if weights is None else weights
    return rows, np.asarray(columns), np.asarray(weights, dtype=np.float64)
