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


@dataclass(frozen=True)
class Likelihood(GraphScore):
    r"""Assortative Poisson block model with one background rate.

    Let :math:`E_c = b\, S_c^2` be the expected weight inside c at the background rate b,
    where :math:`S_c` is the volume (degree-corrected) or the number of nodes. Then

    .. math:: f(c) = -\tfrac12 u \left[ A_c \ln\frac{A_c}{E_c} - A_c + E_c \right]
              \text{ if } A_c > E_c \text{, else } 0,

    the negative log-likelihood ratio, in nats, of a cluster with a density of its own to the
    background rate. u is the number of counts per unit of weight. The parameters are
    estimated by `powercut.graphs.fit`.
    """

    background: float
    degree_corrected: bool
    unit: float
    name: ClassVar[str] = "likelihood"

    def cost(self, c: ClusterStats) -> FloatArray:
        size = c.volume if self.degree_corrected else c.counts.astype(np.float64)
        expected = self.background * size**2
        denser = c.inside > expected
        ratio = np.divide(c.inside, expected, out=np.ones_like(expected), where=denser)
        gain = c.inside * np.log(ratio) - c.inside + expected
        return np.where(denser, -0.5 * self.unit * gain, 0.0)

    def parameters(self) -> list[float]:
        return [self.background, float(self.degree_corrected), self.unit]


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
