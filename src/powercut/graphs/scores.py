r"""The cost of a cluster of a graph: one class per score.

The cost of a cluster c is a function of four sums over its nodes: the weight inside it
:math:`A_c` (an edge between two nodes counts twice, a self-loop once), its volume :math:`V_c`
(sum of degrees), its weight :math:`W_c` (sum of node weights; by default the number of nodes)
and its number of original nodes :math:`n_c`. When clusters merge, :math:`V_c`, :math:`W_c` and
:math:`n_c` add up, and :math:`A_c` is their sum plus twice the weight between them. Hence the
change of J by a move is exact and takes constant time per candidate cluster, and aggregation is
exact.
Lower is better. :math:`\rho` is the shift, :math:`\gamma` the resolution.

Each class has a C++ counterpart of the same name in ``src/core/graphs/scores.hpp``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from powercut._typing import Array, FloatArray, IntArray
from powercut.search.objective import Objective


@dataclass(frozen=True)
class ClusterStats:
    """The four sums over each cluster, as arrays of one shape."""

    inside: FloatArray
    volume: FloatArray
    weight: FloatArray
    counts: IntArray

    @property
    def arrays(self) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
        """(inside, volume, weight, counts), as native code takes them."""
        return self.inside, self.volume, self.weight, self.counts

    @property
    def total(self) -> "ClusterStats":
        """The sums over all clusters; weight between clusters counts as inside."""
        volume, weight, counts = (sums.sum(keepdims=True) for sums in self.arrays[1:])
        return ClusterStats(volume, volume, weight, counts)

    def map(self, change: Callable[[Array], Array]) -> "ClusterStats":
        """Apply a function to each array and return the result."""
        return ClusterStats(*(change(array) for array in self.arrays))


class GraphScore(ABC):
    """The cost of a cluster of a graph, as a function of its four sums.

    Attributes
    ----------
    name : str
        Name of the score, for users and for the kernels.
    uses_weights : bool
        Whether the score depends on node weights.
    """

    name: ClassVar[str]
    uses_weights: ClassVar[bool] = False

    @classmethod
    def node_weight(
        cls,
        degrees: FloatArray,  # noqa: ARG003
        weight: FloatArray | None,
    ) -> FloatArray | None:
        """Return the weights of nodes of these degrees: by default those given, None for 1."""
        return weight

    @abstractmethod
    def cost(self, c: ClusterStats) -> FloatArray:
        """Return the cost of each cluster; none may be empty."""

    @abstractmethod
    def parameters(self) -> list[float]:
        """Return the constructor arguments of the C++ counterpart."""

    @property
    def native(self) -> tuple[str, list[float]]:
        """(name, parameters), as native code takes it."""
        return self.name, self.parameters()


GraphObjective = Objective[GraphScore]


class KernelScore(GraphScore):
    r"""A score that is equivalent to weighted kernel k-means.

    With node weights W and :math:`M = A + \mathrm{diag}(d)`, the k-means objective of
    the kernel :math:`K = W^{-1} M W^{-1}` is :math:`\sum_i M_{ii} / W_i - \sum_c M_{cc} / W_c`,
    which is this score summed over the clusters, plus a constant. The shift is part of the
    diagonal d and contributes :math:`-\rho` to the cost of each cluster.
    """

    @abstractmethod
    def kernel(
        self, degrees: FloatArray, weight: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        """Return the weights W and the diagonal d of the kernel for nodes of these degrees."""


@dataclass(frozen=True)
class NCut(KernelScore):
    r"""Normalized cut, :math:`-A_c / V_c - \rho`.

    The sum over clusters is :math:`\mathrm{NCut} - (1 + \rho) k`: at ``shift=-1`` the
    textbook normalized cut, at ``shift >= 0`` the objective of the paper's
    kernel. For clusters without edges :math:`A_c / V_c` is defined as 0.
    """

    shift: float
    name: ClassVar[str] = "ncut"

    def cost(self, c: ClusterStats) -> FloatArray:
        ratio = np.divide(c.inside, c.volume, out=np.zeros_like(c.volume), where=c.volume > 0)
        return np.asarray(-ratio - self.shift)

    def parameters(self) -> list[float]:
        return [self.shift]

    def kernel(
        self,
        degrees: FloatArray,
        weight: FloatArray | None,  # noqa: ARG002
    ) -> tuple[FloatArray, FloatArray]:
        return degrees, self.shift * degrees


@dataclass(frozen=True)
class RCut(KernelScore):
    r"""Ratio cut, :math:`(V_c - A_c) / W_c - \rho`; with node weights, the weighted cut."""

    shift: float
    name: ClassVar[str] = "rcut"
    uses_weights: ClassVar[bool] = True

    def cost(self, c: ClusterStats) -> FloatArray:
        return (c.volume - c.inside) / c.weight - self.shift

    def parameters(self) -> list[float]:
        return [self.shift]

    def kernel(
        self, degrees: FloatArray, weight: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        weight = np.ones_like(degrees) if weight is None else weight
        return weight, self.shift * weight - degrees


@dataclass(frozen=True)
class RAssoc(KernelScore):
    r"""Ratio association, :math:`-A_c / W_c - \rho`; with node weights, the weighted association.

    On a kernel matrix (:math:`A = W K W`) this is kernel k-means itself.
    """

    shift: float
    name: ClassVar[str] = "rassoc"
    uses_weights: ClassVar[bool] = True

    def cost(self, c: ClusterStats) -> FloatArray:
        return -c.inside / c.weight - self.shift

    def parameters(self) -> list[float]:
        return [self.shift]

    def kernel(
        self, degrees: FloatArray, weight: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        weight = np.ones_like(degrees) if weight is None else weight
        return weight, self.shift * weight


@dataclass(frozen=True)
class Modularity(GraphScore):
    r"""Modularity, :math:`-(A_c - \gamma V_c^2 / M)`, with M the total weight.

    It is not divided by M, so that it is extensive: it grows with the graph, as the prior does.
    """

    resolution: float
    total_weight: float
    name: ClassVar[str] = "modularity"

    def cost(self, c: ClusterStats) -> FloatArray:
        return self.parameters()[0] * c.volume**2 - c.inside

    def parameters(self) -> list[float]:
        return [self.resolution / self.total_weight if self.total_weight > 0 else 0.0]


@dataclass(frozen=True)
class CPM(GraphScore):
    r"""Constant Potts model, :math:`-(A_c - \gamma W_c^2)`."""

    resolution: float
    name: ClassVar[str] = "cpm"
    uses_weights: ClassVar[bool] = True

    def cost(self, c: ClusterStats) -> FloatArray:
        return self.resolution * c.weight**2 - c.inside

    def parameters(self) -> list[float]:
        return [self.resolution]


class BlockScore(GraphScore):
    r"""The negative log-likelihood ratio, in nats, of a cluster with a density of its own.

    It is compared with a cluster of the background density b, and is 0 for clusters that are not
    denser than the background. A pair of nodes i, j has the size :math:`s_i s_j`, where
    :math:`s_i` is the degree of a node (degree-corrected) or 1, and the pairs inside a cluster
    have the size

    .. math:: P_c = \Big(\sum_{i \in c} s_i\Big)^2 - \sum_{i \in c} s_i^2,

    each pair counted twice, as its edge is in :math:`A_c`. The second sum are the pairs of a node
    with itself. They belong to :math:`P_c` only in a graph with self-loops: in any other a
    cluster would pay for edges that cannot exist, and a singleton would not.

    The weight of a node is its squared degree, for the second sum of the degree-corrected model.
    """

    background: float

    @classmethod
    def node_weight(
        cls,
        degrees: FloatArray,
        weight: FloatArray | None,  # noqa: ARG003
    ) -> FloatArray:
        """Return the squared degrees."""
        with np.errstate(over="ignore"):
            return np.square(degrees)

    @abstractmethod
    def pairs(self, c: ClusterStats) -> FloatArray:
        """Return the size of the pairs inside each cluster."""


@dataclass(frozen=True)
class Likelihood(BlockScore):
    r"""Assortative Poisson block model with one background rate.

    Let :math:`E_c = b\, P_c` be the expected weight inside c at the background rate b. Then

    .. math:: f(c) = -\tfrac12 u \left[ A_c \ln\frac{A_c}{E_c} - A_c + E_c \right]
              \text{ if } A_c > E_c \text{, else } 0,

    where u is the number of counts per unit of weight. The parameters are estimated by
    `powercut.graphs.fit`.
    """

    background: float
    degree_corrected: bool
    self_loops: bool
    unit: float
    name: ClassVar[str] = "likelihood"

    def pairs(self, c: ClusterStats) -> FloatArray:
        size = c.volume if self.degree_corrected else c.counts.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # degrees can be too large to square
            if self.self_loops:
                return np.square(size)
            return np.asarray(size**2 - (c.weight if self.degree_corrected else size))

    def cost(self, c: ClusterStats) -> FloatArray:
        expected = self.background * self.pairs(c)
        denser = (c.inside > expected) & (expected > 0)
        ratio = np.divide(c.inside, expected, out=np.ones_like(expected), where=denser)
        gain = c.inside * np.log(ratio) - c.inside + expected
        return np.where(denser, -0.5 * self.unit * gain, 0.0)

    def parameters(self) -> list[float]:
        return [self.background, float(self.degree_corrected), float(self.self_loops), self.unit]


@dataclass(frozen=True)
class Bernoulli(BlockScore):
    r"""Assortative Bernoulli block model with one background probability.

    For unweighted graphs without self-loops, where two nodes have one edge or none:

    .. math:: f(c) = -\tfrac12 \left[ A_c \ln\frac{p_c}{b} +
              (P_c - A_c) \ln\frac{1 - p_c}{1 - b} \right]
              \text{ if } p_c = \frac{A_c}{P_c} > b \text{, else } 0.

    In sparse graphs it is nearly the uniform Poisson model. In dense ones the Poisson model is
    wrong: it finds no difference between the densities .95 and .7.
    """

    background: float
    name: ClassVar[str] = "bernoulli"

    def pairs(self, c: ClusterStats) -> FloatArray:
        size = c.counts.astype(np.float64)
        return np.asarray(size * (size - 1))

    def cost(self, c: ClusterStats) -> FloatArray:
        pairs = self.pairs(c)
        denser = c.inside > self.background * pairs
        p = np.divide(c.inside, pairs, out=np.full_like(pairs, self.background), where=denser)
        more = np.divide(p, self.background, out=np.ones_like(p), where=denser)
        less = np.divide(1 - p, 1 - self.background, out=np.ones_like(p), where=denser)
        return np.asarray(-0.5 * (xlogy(c.inside, more) + xlogy(pairs - c.inside, less)))

    def parameters(self) -> list[float]:
        return [self.background]


GRAPH_SCORES: dict[str, type[GraphScore]] = {
    score.name: score for score in (NCut, RCut, RAssoc, Modularity, CPM, Likelihood)
}


def graph_score(name: str, **available: float) -> GraphScore:
    """Return the score of this name, made from those of the `available` parameters that it has.

    Examples
    --------
    >>> from powercut.graphs.scores import graph_score
    >>> graph_score("ncut", shift=-0.2, resolution=1.0, total_weight=10.0)
    NCut(shift=-0.2)
    """
    score = GRAPH_SCORES[name]
    return score(**{field.name: available[field.name] for field in fields(score)})  # type: ignore[arg-type]
