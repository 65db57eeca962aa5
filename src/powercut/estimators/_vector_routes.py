"""The ways in which `PowerLawClusters` clusters vectors: Gaussians, density or neighbours.

Gaussian clusters are tried first (`powercut.estimators._gaussian_route`).

Otherwise the intrinsic dimension of the points decides (`powercut.graphs.density`). On lines and
surfaces the nearest neighbours tell the density well, and clusters are its hills
(`powercut.graphs.hills`), while the neighbour graph of a long band would be cut into pieces. In
more dimensions there are few points in a ball, and most of a cluster is border, but its points
have few neighbours in others: clusters are those of the neighbour graph. It sees no border between
two clouds that touch; where dimensions are not too many, hills of the density inside a cluster do.

If something is known of the clusters, Gaussians are tested without it, and then fitted with it. A
hill is all that flows up to a peak, and cannot leave out a point: so clusters are those of the
neighbour graph, where density alone would have decided, and hills inside them that must share a
cluster are joined.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from powercut._typing import LABEL, FloatArray, Labels, Positions, Random
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._neighbor_posterior import SEED, NeighborPosterior
from powercut.estimators._posterior import margins_of_costs
from powercut.estimators.confidence import cluster_evidence
from powercut.graphs import neighbors
from powercut.graphs.block_model import block_level
from powercut.graphs.block_search import BlockSearch
from powercut.graphs.cloud import is_one_cloud
from powercut.graphs.constraints import constrained_level
from powercut.graphs.density import Neighborhoods
from powercut.graphs.fit import fit_blocks
from powercut.graphs.graph import Graph
from powercut.graphs.hills import find_hills, least_prominence
from powercut.partition import canonical_labels
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.objective import Regulariser, SearchResult
from powercut.search.prior import bounded_prior

N_NEIGHBORS = neighbors.DEFAULT_NEIGHBORS
# From this dimension on, the neighbour graph tells clusters apart better than the density.
MANY_DIMENSIONS = 2.5
# From this dimension on, the density is that of borders: hills inside clusters are not searched.
TOO_MANY_DIMENSIONS = 5.0
# In more dimensions than this, clusters of the neighbour graph may be pieces of one cloud.
CLOUD_DIMENSIONS = 10.0
# Neighbours from which the density is estimated: a share of the points, within these bounds.
DENSITY_SHARE, DENSITY_NEIGHBORS = 0.05, (15, 40)
# Rows whose votes are counted at a time.
ROWS_AT_ONCE = 2**12


@dataclass(frozen=True)
class Found:
    """The clusters that a route found.

    Attributes
    ----------
    result : SearchResult
        Canonical labels, J and its path.
    regulariser : Regulariser
        Prior and tradeoff.
    posterior : GaussianPosterior or NeighborPosterior
        Evaluates new points.
    margins, sparseness : ndarray of shape (n,)
        Log posterior odds of each point's cluster, and how sparse its surroundings are.
    evidence : ndarray of shape (k,)
        Evidence for each cluster, in nats.
    """

    result: SearchResult
    regulariser: Regulariser
    posterior: GaussianPosterior | NeighborPosterior
    margins: FloatArray
    sparseness: FloatArray
    evidence: FloatArray


def neighbor_route(
    X: Any,
    *,
    n_jobs: int,
    random: Random,
    reporter: ProgressReporter,
    constraints: Constraints | None = None,
) -> tuple[Found, str, str]:
    """Return the hills of the density, or the clusters of the neighbour graph; which, and why.

    Arguments as above.
    """
    n, d = X.shape
    # A search for neighbours that is ended early has no result.
    options: dict[str, Any] = {"n_threads": n_jobs, "cancel": reporter.without_limit()}
    with reporter.part(0.2, "neighbors"):
        around = _neighborhoods(X, min(N_NEIGHBORS, n - 1), **options)
        graph = neighbors.graph_of(around.neighbors)
    dimension = around.dimension(most=d)
    if dimension < MANY_DIMENSIONS and constraints is None:
        why = f"The points fill {dimension:.1f} dimensions: their density has hills."
        around, labels, evidence = _hills(X, graph, **options)
        sizes = np.bincount(labels)
        regulariser = Regulariser(bounded_prior(sizes), 1.0)
        nats = float(regulariser.value(sizes))
        result = SearchResult(labels, nats, np.array([nats]))
        return _found_by_neighbors(X, around, result, regulariser, evidence), "density", why
    why = f"The points fill {dimension:.1f} dimensions: neighbours tell clusters apart."
    if dimension < MANY_DIMENSIONS:
        why = (
            f"The points fill {dimension:.1f} dimensions, but hills of their density do not keep "
            "what is known of the clusters: neighbours tell them apart."
        )
    level = block_level(graph, n_threads=n_jobs)
    searched = level if constraints is None else constrained_level(level, constraints)
    search = BlockSearch(graph, searched, n_jobs=n_jobs, random=random, reporter=reporter)
    fit = fit_blocks(search, unit=1.0)
    labels = canonical_labels(searched.expand(fit.found.labels))
    evidence = cluster_evidence(level, labels, fit.objective)
    result = replace(fit.found, labels=labels)
    # One cluster would not keep conflicts.
    may_be_one = searched.conflicts is None and not sp.issparse(X)
    if len(evidence) > 1 and dimension > CLOUD_DIMENSIONS and may_be_one:
        with reporter.part(0.5):
            whole = is_one_cloud(X, random=random, n_threads=n_jobs, reporter=reporter)
        if whole:
            why += " Their graph has no more structure than that of one cloud."
            labels = np.zeros(n, dtype=LABEL)
            evidence = cluster_evidence(level, labels, fit.objective)
            j = fit.objective.value(level.cluster_stats(labels))
            result = replace(fit.found, labels=labels, objective=j)
    if dimension < TOO_MANY_DIMENSIONS and not reporter.expired():
        _, divided, of_hills = _hills(X, graph, within=labels, **options)
        if constraints is not None:
            divided, of_hills = _joined(divided, of_hills, constraints.groups)
        if len(of_hills) > len(evidence):
            why += (
                f" Inside the clusters of their graph, {len(evidence)} in number, the density has "
                f"{len(of_hills)} hills."
            )
            # A hill may be merged with one beside it, or its cluster with another.
            of_clusters = np.empty(len(of_hills))
            of_clusters[divided] = evidence[labels]
            evidence = np.minimum(of_hills, of_clusters)
            j = fit.objective.value(level.cluster_stats(divided))
            result = replace(fit.found, labels=divided, objective=j)
    found = _found_by_neighbors(X, around, result, fit.objective.regulariser, evidence)
    return found, "neighbors", why


def _joined(hills: Labels, evidence: FloatArray, groups: Labels) -> tuple[Labels, FloatArray]:
    """Join hills with points of the same group; the evidence is that of the clearest."""
    k = len(evidence)
    ends = hills, k + groups
    shape = (k + len(groups),) * 2  # at most one group per point
    joined = sp.coo_array((np.ones(len(hills), dtype=np.int8), ends), shape=shape)
    _, component = connected_components(joined, directed=False)
    labels = canonical_labels(component[hills].astype(LABEL))
    clearest = np.full(int(labels.max()) + 1, -np.inf)
    np.maximum.at(clearest, labels, evidence[hills])
    return labels, clearest


def _neighborhoods(X: Any, k: int, **options: Any) -> Neighborhoods:
    return Neighborhoods.search(X, k, random=np.random.default_rng(SEED), **options)


def _hills(
    X: Any, graph: Graph, *, within: Labels | None = None, **options: Any
) -> tuple[Neighborhoods, Labels, FloatArray]:
    r"""Return the hills of the density, in canonical order, with the evidence for each.

    Paths up to their peaks lead along the edges of a graph, `within` given clusters. The evidence
    for a hill that stands h above its saddle is :math:`\frac12 \ln n\, [(h / h_0)^2 - 1]` nats,
    where :math:`h_0` is the least height: the height is a difference of two log-densities, both
    with a normal error. Options are those of `Neighborhoods.search`.
    """
    n, d = X.shape
    k = min(int(np.clip(DENSITY_SHARE * n, *DENSITY_NEIGHBORS)), n - 1)
    around = _neighborhoods(X, k, **options)
    dimension = around.dimension(most=d)

    def between(u: Positions, v: Positions) -> FloatArray:
        return -dimension * around.log_radius_at(0.5 * (X[u] + X[v]))

    height = least_prominence(n, max(k, 1))
    hills = find_hills(
        graph,
        -dimension * around.log_radius,
        height=height,
        least=k,
        between=between,
        within=within,
    )
    labels = canonical_labels(hills.labels)
    prominence = np.empty(len(hills.prominence))
    prominence[labels] = hills.prominence[hills.labels]
    evidence = 0.5 * np.log(max(2, n)) * ((prominence / height) ** 2 - 1)
    return around, labels, evidence


def _found_by_neighbors(
    X: Any,
    around: Neighborhoods,
    result: SearchResult,
    regulariser: Regulariser,
    evidence: FloatArray,
) -> Found:
    """Return clusters whose posterior is that of the nearest neighbours."""
    labels = result.labels
    posterior = NeighborPosterior.of(X, labels, around, regulariser.prior)

    def margins(rows: Positions) -> FloatArray:
        return margins_of_costs(posterior.costs(around.neighbors.indices[rows]), labels[rows])

    return Found(
        result,
        regulariser,
        posterior,
        in_batches(margins, len(labels)),
        around.log_radius,
        evidence,
    )


def in_batches(evaluate: Any, n: int) -> Any:
    """Return one number per row, from a function of the indices of some rows."""
    each = np.arange(n)
    starts = range(0, n, ROWS_AT_ONCE)
    return np.concatenate([evaluate(each[start : start + ROWS_AT_ONCE]) for start in starts])
