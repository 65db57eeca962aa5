"""The kernels of powercut. Internal: arrays in, arrays out, nothing checked twice.

All arrays are C-contiguous. Where a kernel takes `cancel`, setting that token from any
thread ends it with `Cancelled`; an exception of a signal handler ends every kernel.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, type_check_only

import numpy as np
from numpy.typing import NDArray

# int64 if the module was built with 64-bit node numbers.
_Labels: TypeAlias = NDArray[np.int32]
_Counts: TypeAlias = NDArray[np.int64]
_Floats: TypeAlias = NDArray[np.float64]
_Float32s: TypeAlias = NDArray[np.float32]
_Indices: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
# float32 or float64; what else numpy calls floating is refused with ValueError.
_Values: TypeAlias = NDArray[np.floating]

# (codes, starts, wraps): indices in gap code, as in powercut.graphs.gap_code.
_GapCodes: TypeAlias = tuple[NDArray[np.uint8], NDArray[np.uint32], _Counts]
# (offsets, indices, weights): compressed rows; weights None where all are 1.
# (None, None, matrix): dense rows.
_GraphArrays: TypeAlias = (
    tuple[_Indices, _Indices | _GapCodes, _Values | None] | tuple[None, None, _Values]
)
# (volume, weight, count): weight None for the count, count None for ones.
_NodeArrays: TypeAlias = tuple[_Floats, _Floats | None, _Counts | None]
# (apart, offsets, others): nodes that share no cluster, and nodes in conflict with each node.
_Conflicts: TypeAlias = tuple[NDArray[np.uint8], _Counts, _Labels]
# (offsets, homes, nats): the clusters that attract each node.
_Pulls: TypeAlias = tuple[_Counts, _Labels, _Floats]
# (inside, volume, weight, count) of each cluster.
_ClusterArrays: TypeAlias = tuple[_Floats, _Floats, _Floats, _Counts]
# (values, weight, count, scatter): weight and count None for ones, scatter None for zeros.
_PointArrays: TypeAlias = tuple[_Values, _Floats | None, _Counts | None, _Floats | None]
# (text, offsets): all names concatenated, and where each begins and ends.
_Names: TypeAlias = tuple[NDArray[np.uint8], _Counts]
# (covariance, mean, kappa, shape, scale): the prior of a Gaussian cluster.
_Gaussian: TypeAlias = tuple[str, _Floats, float, float, _Floats]
# (index in the batch, target or -1 for a new cluster, link to the own cluster, link to the target,
# self-loops, rivals of all proposals, number of rivals of each): the proposed moves.
_Proposals: TypeAlias = tuple[_Labels, _Labels, _Floats, _Floats, _Floats, _Labels, _Labels]
# (nodes that moved, their labels, clusters that changed, their sums)
_Changes: TypeAlias = tuple[_Labels, _Labels, _Labels, _ClusterArrays]
# (score, its parameters, concentration, discount, tradeoff)
_Objective: TypeAlias = tuple[str, Sequence[float], float, float, float, float]
# (concentration, discount, tradeoff)
_Prior: TypeAlias = tuple[float, float, float]

# Bits of a node number and of a label.
NODE_BITS: int
# The error of a graph with more nodes than that, and what to do.
TOO_MANY_NODES: str

@type_check_only
class RemoteGraphWorkers(Protocol):
    """Remote workers that propose moves, in rounds that read at least `least_entries`."""

    @property
    def least_entries(self) -> int: ...
    def begin(self, labels: _Labels, stats: _ClusterArrays, /) -> None: ...
    def propose(self, number: int, batch: _Labels, changes: _Changes, /) -> _Proposals: ...
    def nodes_to_revisit(self, moved: _Labels, changes: _Changes, /) -> _Labels: ...

class Cancelled(Exception):  # noqa: N818 (it is no error to be asked to stop)
    """A kernel was cancelled; the labels that it had changed are a valid partition."""

class BadText(ValueError):  # noqa: N818 (what is wrong is the text)
    """A syntax error in a text file: (message, line, column), counted from 1."""

class Asymmetric(ValueError):  # noqa: N818
    """Entries that should be equal but are not: (row, column, there, back)."""

class TooManyNodes(ValueError):  # noqa: N818
    """More nodes than a graph can have."""

class CancellationToken:
    """Cancels work, from any thread, and holds its latest progress report.

    Cancelled work is discarded; work that expired returns its best result so far.
    """

    def __init__(self) -> None: ...
    def set(self) -> None: ...
    def is_set(self) -> bool: ...
    def expire_in(self, seconds: float) -> None: ...
    def expired(self) -> bool: ...
    def set_callback(self, callback: Callable[[], object] | None) -> None:
        """Call `callback` regularly while kernels run in this thread.

        An exception that it raises ends the kernel.
        """

    def report_objective(self, objective: float) -> None:
        """Report J, where kernels do not know it."""

    def last_report(self) -> tuple[int, int, int, float]:
        """Return the number of nodes, the rounds and moves made, and J, or NaN if unknown."""

def cluster_stats(
    graph: _GraphArrays, nodes: _NodeArrays, labels: _Labels, n_labels: int, n_threads: int
) -> _ClusterArrays:
    """Inside weight, volume, weight and count of each cluster."""

def inside_degrees(graph: _GraphArrays, labels: _Labels, squared: bool, n_threads: int) -> _Floats:
    """Return the weight, or its squares, that joins each node to the others of its cluster."""

def row_products(
    graph: _GraphArrays, x: _Floats, n_threads: int, cancel: CancellationToken | None
) -> _Floats:
    """Return the products of the rows of the matrix with a vector."""

def lanczos(
    graph: _GraphArrays,
    scale: _Floats,
    unit: float,
    known: _Float32s,
    start: _Float32s,
    n_steps: int,
    shortest: float,
    n_threads: int,
    cancel: CancellationToken | None,
) -> tuple[_Floats, _Floats]:
    """Lanczos iteration with ``S A S / unit``, S = diag(scale): diagonal, and what is beside it."""

def draw_wedges(
    graph: _GraphArrays,
    labels: _Labels,
    strength: _Floats,
    size: _Floats,
    density: _Floats,
    draws: int,
    seed: int,
) -> tuple[int, float]:
    """Draw wedges inside clusters: how many there are, and their closure beyond expectation."""

def sample_triangles(
    graph: _GraphArrays, labels: _Labels, n_labels: int, draws: int, seed: int
) -> tuple[float, float, float, float]:
    """Sample edges; return means of t, 1 / (1 + t), triangles inside clusters, and across them."""

def beyond_poisson(
    graph: _GraphArrays,
    size: _Floats,
    labels: _Labels,
    density: _Floats,
    background: float,
    n_threads: int,
) -> float:
    """Sum the log-likelihood ratios of "at least one edge" to "exactly one" over all entries."""

def objective(
    graph: _GraphArrays, nodes: _NodeArrays, labels: _Labels, n_labels: int, objective: _Objective
) -> float:
    """J without the constant of the size prior."""

def local_moves(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    objective: _Objective,
    within: _Labels | None,
    keep_connected: bool,
    exhaustive: bool,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancellationToken | None,
    workers: RemoteGraphWorkers | None,
    first: NDArray[np.bool_] | None,
    inertia: float,
    limits: tuple[int, int] | None,
    conflicts: _Conflicts | None,
    pulls: _Pulls | None,
    sums: _ClusterArrays | None,
) -> tuple[float, float, int, _ClusterArrays]:
    """Move nodes while that lowers J. Writes `labels`; J before, J after, moves, clusters.

    `sums` are those over the initial clusters, if they are known.
    """

def group_moves(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    groups: _Labels,
    labels: _Labels,
    objective: _Objective,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancellationToken | None,
    conflicts: _Conflicts | None,
    sums: _ClusterArrays | None,
) -> tuple[float, float, int, _ClusterArrays]:
    """Move groups of nodes while that lowers J. Writes `labels`, of the groups; the same."""

def propose_moves(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    stats: _ClusterArrays,
    objective: _Objective,
    batch: _Labels,
    begin: int,
    end: int,
) -> _Proposals:
    """Propose moves that lower J for the nodes of ``batch[begin:end]``."""

def nodes_to_revisit(
    graph: _GraphArrays, labels: _Labels, batch_of: NDArray[np.uint16], moved: _Labels
) -> _Labels:
    """Return the neighbors of moved nodes that were visited before the move."""

def margins(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    objective: _Objective,
    limits: tuple[int, int] | None,
    pulls: _Pulls | None,
    n_threads: int,
    cancel: CancellationToken | None,
    sums: _ClusterArrays | None,
) -> _Floats:
    """Return the change of J if a node makes its best move to another cluster.

    `sums` are those over the clusters, if they are known.
    """

def aggregate(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    n_threads: int,
    cancel: CancellationToken | None,
) -> tuple[tuple[_Counts, _Labels, _Floats], tuple[_Floats, _Floats | None, _Counts]]:
    """Return the graph whose nodes are the clusters, and its node arrays."""

def cluster_graph(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    cluster: int,
    n_threads: int,
    cancel: CancellationToken | None,
) -> tuple[_Counts, _Labels, _Floats | None]:
    """Return the graph inside a cluster; its nodes are the members in ascending order."""

def join_nodes(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    cancel: CancellationToken | None,
) -> tuple[tuple[_Counts, _Labels, None], tuple[_Floats, _Floats | None, _Counts]]:
    """Return the same with all edges of an unweighted graph, without weights."""

def aggregate_conflicts(conflicts: _Conflicts, labels: _Labels, n_labels: int) -> _Conflicts:
    """Return the conflicts between clusters, none of which may hold conflicting nodes."""

def coarsen(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    groups: _Labels,
    of_nodes: _Objective,
    of_groups: _Objective,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancellationToken | None,
    workers: RemoteGraphWorkers | None,
    conflicts: _Conflicts | None,
) -> int:
    """Join nodes, and then groups of nodes, while that lowers an objective of each.

    Writes `groups`; returns how many there are.
    """

def cycle(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    objective: _Objective,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancellationToken | None,
    workers: RemoteGraphWorkers | None,
    conflicts: _Conflicts | None,
) -> tuple[list[float], _ClusterArrays]:
    """Move nodes of all levels, coarsening and back. Writes `labels`, compact at the end.

    Returns J before the first round of moves and after each, and the clusters.
    """

def divide(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    divisible: NDArray[np.bool_],
    objective: _Objective,
    n_threads: int,
    seed: int,
    cancel: CancellationToken | None,
) -> tuple[_Labels, int]:
    """Divide clusters where that lowers J; subclusters, and how many there are."""

def split_components(
    graph: _GraphArrays,
    labels: _Labels,
    n_threads: int,
    cancel: CancellationToken | None,
    may_split: NDArray[np.bool_] | None = None,
) -> tuple[_Labels, int]:
    """Label the connected components of each cluster, by smallest member; and their number.

    If `may_split` says which clusters may be disconnected, the others are taken as connected.
    """

def find_separated(
    graph: _GraphArrays,
    labels: _Labels,
    from_: _Labels,
    to: _Labels,
    most_entries: int,
    cancel: CancellationToken | None,
) -> NDArray[np.uint8]:
    """Tell for each pair of nodes of one cluster whether no path in it connects them.

    Pairs that are left after so many entries were read are taken as separated.
    """

def first_asymmetry(graph: _GraphArrays, tolerance: float) -> tuple[int, int] | None:
    """Row and column of an entry whose mirror image is absent or differs; rows must be sorted."""

def encode_gaps(offsets: _Counts, columns: _Labels) -> tuple[NDArray[np.uint8], _Counts]:
    """Return the gap codes of sorted rows, and where each begins, with the end of the last one."""

def first_invalid_gaps(
    offsets: _Counts, starts: _Counts, codes: NDArray[np.uint8], n_columns: int
) -> int | None:
    """Return the first row whose code is not exactly that of its columns, below `n_columns`."""

def columns(graph: _GraphArrays, first: int, end: int) -> _Labels:
    """Return the columns of the rows from `first` to `end`, `end` excluded."""

def row_keys(rows: _GraphArrays) -> NDArray[np.uint64]:
    """Return a key of each row by which equal rows are recognised, however they are stored."""

def point_groups(
    points: _PointArrays, labels: _Labels, n_labels: int, squares: str, n_threads: int
) -> tuple[_Floats, _Floats, _Counts, _Floats]:
    """Mean, weight, count and scatter of groups of points, row after row.

    `squares` is the form of the scatter: "none", "total", "features" or "matrix".
    """

def halve(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    first_keys: _Floats,
    second_keys: _Floats,
    steps: int,
    n_threads: int,
) -> _Labels:
    """Split every cluster c in two, 2 c and 2 c + 1: k-means++ seeding, then steps of 2-means.

    The seeds are drawn by the keys, Gumbel variables of each point.
    """

def log_growths(x: _Floats, mean: _Floats, precision: _Floats, factor: _Floats) -> _Floats:
    """Return the sum of ln(1 + factor (x - mean)^2 precision) of each point in each cluster.

    Points, means and precisions are rows. The result has all clusters of a point side by side.
    """

def gaussian_costs(clusters: _PointArrays, gaussian: _Gaussian) -> _Floats:
    """Return minus the log marginal likelihood of each Gaussian cluster."""

def improve_prior(
    clusters: _PointArrays,
    gaussian: _Gaussian,
    precision: _Floats,
    floor: _Floats,
    weight: float,
    least_kappa: float,
    largest: float,
) -> tuple[_Floats, float, float, _Floats, float]:
    """Take a step towards the prior of largest marginal likelihood of some Gaussian clusters.

    `precision` is the inverse of the total variance, towards which the hyperprior pulls with the
    `weight` of so many clusters. Returns mean, kappa, shape and scale, and minus the log-likelihood
    without the terms of the hyperprior and of pi.
    """

def nearest_means(
    points: _PointArrays,
    means: _Floats,
    nearest: _Labels,
    beyond: _Floats,
    n_threads: int,
    cancel: CancellationToken | None,
) -> _Floats:
    """Find the nearest of the means, the first of equals, and return squared distances.

    Writes `nearest`, which holds guesses, and `beyond`, a lower bound of the distance to all other
    means (0: unknown). Weights, counts and scatter of the points are ignored.
    """

def find_nearest_points(
    points: _PointArrays,
    point_cells: _Labels,
    queries: _PointArrays,
    query_cells: _Labels,
    n_cells: int,
    excluded: _Labels,
    k: int,
    nearest: _Labels,
    squares: _Floats,
    n_threads: int,
    cancel: CancellationToken | None,
) -> None:
    """Compare each query with the points of its cell, and update its k nearest points.

    `nearest` and their `squares`, the squared distances, hold k numbers per query: the nearest
    first, of equally near points the first; -1 and infinity where fewer are known. `excluded` has
    a point that each query is not compared with, or is empty.
    """

def kmeans_moves(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancellationToken | None,
    elsewhere: _PointArrays | None,
    visited: NDArray[np.bool_] | None,
    inertia: float,
    conflicts: _Conflicts | None,
) -> tuple[float, int, int]:
    """Move points while that lowers J. Writes `labels`; J after less J before, moves, n_labels.

    Only the points marked in `visited` move, and only if J falls by more than `inertia`. Row c of
    `elsewhere` stands for the members of cluster c that are not among the points. No move joins
    points in `conflicts`, and no cluster may hold them.
    """

def gaussian_moves(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    gaussian: _Gaussian,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancellationToken | None,
    elsewhere: _PointArrays | None,
    visited: NDArray[np.bool_] | None,
    inertia: float,
    conflicts: _Conflicts | None,
) -> tuple[float, int, int]:
    """Do the same for the marginal likelihood of Gaussian clusters."""

def gaussian_margins(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    gaussian: _Gaussian,
    n_threads: int,
    cancel: CancellationToken | None,
) -> _Floats:
    """Return the change of J if a point moves to the best of the other clusters."""

def lloyd_points(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    max_passes: int,
    cancel: CancellationToken | None,
) -> list[float]:
    """Algorithm 1 on points. Writes `labels`; J before the first pass and after each."""

def lloyd_kernel(
    graph: _GraphArrays,
    diagonal: _Floats,
    weight: _Floats,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    max_passes: int,
    cancel: CancellationToken | None,
) -> list[float]:
    """Algorithm 1 in kernel space. Writes `labels`; J before the first pass and after each."""

def compact_labels(labels: _Labels, most: int) -> tuple[_Labels, int] | None:
    """Return labels 0 to k - 1 in the order of the given ones, and k.

    None if the given ones are not all between 0 and `most`.
    """

def digamma_rise(x: float, d: int) -> float:
    """Return psi(x + d) - psi(x) for x > 0 and d >= 0, to full relative precision."""

def log_prob(sizes: _Counts, concentration: float, discount: float) -> float:
    """Return the log probability of a partition under the Pitman-Yor prior (the log EPPF)."""

def most_likely_prior(sizes: _Counts) -> tuple[float, float]:
    """Return the most likely concentration and discount of at least one cluster."""

def most_likely_concentration(discount: float, k: int, n: int) -> float:
    """Return the most likely concentration of k clusters of n points at this discount."""

def sample_pitman_yor(n: int, concentration: float, discount: float, seed: int) -> _Labels:
    """Draw a partition by the Chinese restaurant process; clusters are numbered as they open."""

class EdgeList:
    """Collects edges and numbers their nodes, by numeric ids in their order or by names."""

    def __init__(self, names: bool, weighted: bool) -> None: ...
    @property
    def size(self) -> int: ...
    def add_numbers(self, u: _Counts, v: _Counts, weight: _Floats | None) -> None: ...
    def add_names(self, u: _Names, v: _Names, weight: _Floats | None) -> None:
        """Names are valid UTF-8; they are numbered in order of appearance."""

    def take_rows(self, mirror: str) -> tuple[_Indices, _Labels, _Floats | None]:
        """Sorted rows of the symmetric matrix; the list is empty afterwards.

        ``mirror`` says how a[i, j] and a[j, i] make A[i, j]: "sum", "max", "mean", or "equal".
        """

    @property
    def repeats(self) -> int:
        """After `take_rows`: how many edges repeat an earlier one, in the same direction."""

    def ids(self) -> _Counts:
        """After `take_rows`: the id of each node; empty if ids are 0 to n - 1."""

    def names(self) -> tuple[bytes, _Counts]:
        """All names concatenated, and where each ends."""

class EdgeListReader:
    """Reads an edge list, chunk by chunk."""

    def __init__(self, edges: EdgeList, delimiter: str, n_columns: int, header: bool) -> None: ...
    def feed(self, text: NDArray[np.uint8]) -> None: ...
    def finish(self) -> None: ...

class MetisReader:
    """Reads the METIS format, chunk by chunk."""

    def __init__(self, edges: EdgeList) -> None: ...
    def feed(self, text: NDArray[np.uint8]) -> None: ...
    def finish(self) -> None: ...
    @property
    def has_node_weights(self) -> bool: ...
