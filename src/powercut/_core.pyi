"""The kernels of powercut. Internal: arrays in, arrays out, nothing checked twice.

All arrays are C-contiguous. Where a kernel takes `cancel`, setting that flag from
any thread ends it with `Cancelled`; a signal handler's exception ends every kernel.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, type_check_only

import numpy as np
from numpy.typing import NDArray

_Labels: TypeAlias = NDArray[np.int32]
_Counts: TypeAlias = NDArray[np.int64]
_Floats: TypeAlias = NDArray[np.float64]
_Indices: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
# float32 or float64; what else numpy calls floating is refused with ValueError.
_Values: TypeAlias = NDArray[np.floating]

# (offsets, indices, weights): compressed rows; weights None where all are 1.
# (None, None, matrix): dense rows.
_GraphArrays: TypeAlias = tuple[_Indices, _Indices, _Values | None] | tuple[None, None, _Values]
# (volume, weight, count): weight None for the count, count None for ones.
_NodeArrays: TypeAlias = tuple[_Floats, _Floats | None, _Counts | None]
# (inside, volume, weight, count) of each cluster.
_ClusterArrays: TypeAlias = tuple[_Floats, _Floats, _Floats, _Counts]
# (values, weight, count, scatter): weight and count None for ones, scatter None for zeros.
_PointArrays: TypeAlias = tuple[_Values, _Floats | None, _Counts | None, _Floats | None]
# (text, offsets): names one after the other, and where each begins and ends.
_Names: TypeAlias = tuple[NDArray[np.uint8], _Counts]
# (covariance, mean, kappa, shape, scale): what is expected of a Gaussian cluster.
_Gaussian: TypeAlias = tuple[str, _Floats, float, float, _Floats]
# (place in the block, target or -1 for a new cluster, link to its own cluster, link to the target,
# loops, rivals of all of them, how many each has): of those who want to move.
_Wishes: TypeAlias = tuple[_Labels, _Labels, _Floats, _Floats, _Floats, _Labels, _Labels]
# (nodes that moved, their labels, clusters that changed, their sums)
_Changes: TypeAlias = tuple[_Labels, _Labels, _Labels, _ClusterArrays]
# (score, its parameters, concentration, discount, tradeoff)
_Objective: TypeAlias = tuple[str, Sequence[float], float, float, float]
# (concentration, discount, tradeoff)
_Prior: TypeAlias = tuple[float, float, float]
# (label, number of points, which move changed it last, all that its score knows): some clusters.
_ClusterStates: TypeAlias = tuple[_Labels, _Counts, _Counts, _Floats]

@type_check_only
class Elsewhere(Protocol):
    """Who looks at rows in a kernel's stead, in rounds that read enough of them."""

    @property
    def least_entries(self) -> int: ...
    def begin(self, labels: _Labels, stats: _ClusterArrays, /) -> None: ...
    def wishes(self, number: int, block: _Labels, changes: _Changes, /) -> _Wishes: ...
    def called(self, moved: _Labels, changes: _Changes, /) -> _Labels: ...

@type_check_only
class PointsElsewhere(Protocol):
    """Who looks at points in a kernel's stead, in blocks that are worth it.

    Of each point: its number, its label, how many moves had been made when it was visited last, and
    what no other cluster cost less than then. The answer: its best label, -1 for a new cluster,
    and what no other costs less than now.
    """

    @property
    def least_products(self) -> float: ...
    def begin(self, clusters: _ClusterStates, /) -> None: ...
    def propose(
        self,
        points: _Labels,
        labels: _Labels,
        seen: _Counts,
        others: _Floats,
        changes: _ClusterStates,
        /,
    ) -> tuple[_Labels, _Floats]: ...

class Cancelled(Exception):  # noqa: N818 (it is no error to be asked to stop)
    """A kernel was ended by its `CancelFlag`; labels it had changed are a valid partition."""

class BadText(ValueError):  # noqa: N818 (what is wrong is the text)
    """A text that is not in its format; the message says where, by line and column."""

class Asymmetric(ValueError):  # noqa: N818
    """Entries that must be equal and are not: (row, column, there, back)."""

class TooManyNodes(ValueError):  # noqa: N818
    """More nodes than a graph can have."""

class CancelFlag:
    """A wish to stop that any thread may set, for work that runs in another.

    Work that was cancelled is given up; work that expired ends with what it has.
    """

    def __init__(self) -> None: ...
    def set(self) -> None: ...
    def is_set(self) -> bool: ...
    def expire_in(self, seconds: float) -> None: ...
    def expired(self) -> bool: ...
    def listen(self, callback: Callable[[], object] | None) -> None:
        """Have `callback` called, often and in this thread, while kernels run in it.

        What it raises ends them.
        """

    def reached(self, objective: float) -> None:
        """Note J, where kernels do not know it."""

    def round(self) -> tuple[int, int, int, float]:
        """Nodes that are worked on, rounds and moves so far, and J, or NaN where nobody knows."""

def cluster_stats(
    graph: _GraphArrays, nodes: _NodeArrays, labels: _Labels, n_labels: int, n_threads: int
) -> _ClusterArrays:
    """Inside weight, volume, weight and count of each cluster."""

def inside_degrees(graph: _GraphArrays, labels: _Labels, squared: bool, n_threads: int) -> _Floats:
    """Return the weight, or its squares, that joins each node to the others of its cluster."""

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

def beyond_poisson(
    graph: _GraphArrays,
    size: _Floats,
    labels: _Labels,
    density: _Floats,
    background: float,
    n_threads: int,
) -> float:
    """Sum over all entries what "at least one edge" saves against "just one"."""

def objective(
    graph: _GraphArrays, nodes: _NodeArrays, labels: _Labels, n_labels: int, objective: _Objective
) -> float:
    """J without the regulariser's constant."""

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
    cancel: CancelFlag | None,
    engine: Elsewhere | None,
) -> tuple[float, float, int, _ClusterArrays]:
    """Move nodes while that lowers J. Writes `labels`; J before, J after, moves, clusters."""

def group_moves(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    groups: _Labels,
    labels: _Labels,
    objective: _Objective,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancelFlag | None,
) -> tuple[float, float, int, _ClusterArrays]:
    """Move groups of nodes while that lowers J. Writes `labels`, of the groups; the same."""

def wishes(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    stats: _ClusterArrays,
    objective: _Objective,
    block: _Labels,
    begin: int,
    end: int,
) -> _Wishes:
    """Find where those of ``block[begin:end]`` would move for whom a move lowers J."""

def called(
    graph: _GraphArrays, labels: _Labels, block_of: NDArray[np.uint16], moved: _Labels
) -> _Labels:
    """Return the neighbours of nodes that moved who have not seen it."""

def margins(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    objective: _Objective,
    n_threads: int,
    cancel: CancelFlag | None,
) -> _Floats:
    """Return what J rises by if a node makes the best of its moves to another cluster."""

def aggregate(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    n_threads: int,
    cancel: CancelFlag | None,
) -> tuple[tuple[_Counts, _Labels, _Floats], tuple[_Floats, _Floats | None, _Counts]]:
    """Return the graph whose nodes are the clusters, and what its nodes carry."""

def descend(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    groups: _Labels,
    objective: _Objective,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancelFlag | None,
    engine: Elsewhere | None,
) -> int:
    """Write the group of each node that joining ends with; return how many there are."""

def divide(
    graph: _GraphArrays,
    nodes: _NodeArrays,
    labels: _Labels,
    n_labels: int,
    divisible: NDArray[np.bool_],
    objective: _Objective,
    n_threads: int,
    seed: int,
    cancel: CancelFlag | None,
) -> tuple[_Labels, int]:
    """Divide clusters from inside where that lowers J; pieces, and how many there are."""

def split_components(
    graph: _GraphArrays, labels: _Labels, cancel: CancelFlag | None
) -> tuple[_Labels, int]:
    """Label each connected piece of each cluster, by smallest member; and how many there are."""

def first_asymmetry(graph: _GraphArrays, tolerance: float) -> tuple[int, int] | None:
    """Row and column of an entry whose mirror image is absent or differs; rows must be sorted."""

def row_keys(rows: _GraphArrays) -> NDArray[np.uint64]:
    """Return a key of each row by which equal rows are recognised, however they are stored."""

def point_groups(
    points: _PointArrays, labels: _Labels, n_labels: int, squares: str, n_threads: int
) -> tuple[_Floats, _Floats, _Counts, _Floats]:
    """Mean, weight, count and scatter of groups of points, row after row.

    `squares` is the form of the scatter: "none", "total", "features" or "matrix".
    """

def nearest_means(
    points: _PointArrays,
    means: _Floats,
    nearest: _Labels,
    beyond: _Floats,
    n_threads: int,
    cancel: CancelFlag | None,
) -> _Floats:
    """Find the nearest of the means, the first of equals, and return squared distances.

    Writes `nearest`, which holds guesses, and `beyond`: no other mean is nearer than that, and 0
    says that nothing is known. Weights, counts and scatter of the points play no part.
    """

def kmeans_moves(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancelFlag | None,
    engine: PointsElsewhere | None,
) -> tuple[float, int, int]:
    """Move points while that lowers J. Writes `labels`; J after less J before, moves, n_labels."""

def gaussian_moves(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    gaussian: _Gaussian,
    negligible: float,
    n_threads: int,
    seed: int,
    cancel: CancelFlag | None,
    engine: PointsElsewhere | None,
) -> tuple[float, int, int]:
    """Do the same for the marginal likelihood of Gaussian clusters."""

class PointClusters:
    """Clusters of points that follow those of another process, which makes the moves."""

    def __init__(self, points: _PointArrays, prior: _Prior, gaussian: _Gaussian | None) -> None: ...
    def set(self, clusters: _ClusterStates) -> None:
        """Take all clusters."""

    def load(self, clusters: _ClusterStates) -> None:
        """Take those that have changed."""

    def propose(
        self, points: _Labels, labels: _Labels, seen: _Counts, others: _Floats
    ) -> tuple[_Labels, _Floats]:
        """Answer as `PointsElsewhere` does."""

def gaussian_margins(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    gaussian: _Gaussian,
    n_threads: int,
    cancel: CancelFlag | None,
) -> _Floats:
    """Return what J rises by if a point moves to the best of the other clusters."""

def lloyd_points(
    points: _PointArrays,
    labels: _Labels,
    n_labels: int,
    prior: _Prior,
    max_passes: int,
    cancel: CancelFlag | None,
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
    cancel: CancelFlag | None,
) -> list[float]:
    """Algorithm 1 in kernel space. Writes `labels`; J before the first pass and after each."""

def sum_log_rising(x: _Floats, d: _Floats) -> float:
    """Sum of lnGamma(x + d) - lnGamma(x) over all x above zero and all d."""

def sample_pitman_yor(n: int, concentration: float, discount: float, seed: int) -> _Labels:
    """Seat n customers in a Pitman-Yor restaurant; tables are numbered as they are opened."""

class EdgeList:
    """Edges, and the numbers of their nodes: those of numeric ids in their order, or names'."""

    def __init__(self, names: bool, weighted: bool) -> None: ...
    @property
    def size(self) -> int: ...
    def add_numbers(self, u: _Counts, v: _Counts, weight: _Floats | None) -> None: ...
    def add_names(self, u: _Names, v: _Names, weight: _Floats | None) -> None:
        """Names are valid UTF-8; they are numbered as they come."""

    def take_rows(self, mirror: str) -> tuple[_Indices, _Labels, _Floats | None]:
        """Sorted rows of the symmetric matrix; the list is empty afterwards.

        ``mirror`` says how a[i, j] and a[j, i] make A[i, j]: "sum", "max", "mean", or "equal".
        """

    def ids(self) -> _Counts:
        """After `take_rows`: the id of each node; empty where it is its number."""

    def names(self) -> tuple[bytes, _Counts]:
        """All names, one after the other, and where each ends."""

class EdgeText:
    """Reads lines of edges into a list, piece by piece."""

    def __init__(self, edges: EdgeList, delimiter: str, n_columns: int, header: bool) -> None: ...
    def feed(self, text: NDArray[np.uint8]) -> None: ...
    def finish(self) -> None: ...

class MetisText:
    """Reads the format of METIS into a list, piece by piece."""

    def __init__(self, edges: EdgeList) -> None: ...
    def feed(self, text: NDArray[np.uint8]) -> None: ...
    def finish(self) -> None: ...
    @property
    def has_node_weights(self) -> bool: ...
