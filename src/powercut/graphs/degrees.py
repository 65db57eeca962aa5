"""The degrees in the description of a degree-corrected block model.

They are the same for all partitions, and decide between this model and the uniform one.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from powercut._typing import FloatArray, IntArray
from powercut.graphs.graph import Graph


def degree_nats(graph: Graph, unit: float) -> float:
    r"""Return the nats that the degrees add to the description of the edges.

    Rates are proportional to degrees: their product over the edges is that of
    :math:`d_i^{d_i}` over the nodes. Then the degrees are told: the largest, how many nodes have
    each, and which nodes these are.

    But the Poisson code of the edges does not use that the degrees are known: it tells them once
    more. Given the total, its degrees are multinomial, with the degrees as expected values, and
    knowing them shortens the code of the edges by

    .. math:: -\ln \frac{D!}{\prod_i d_i!} \prod_i \Big(\frac{d_i}{D}\Big)^{d_i}
              = \sum_i h(d_i) - h(D), \quad h(x) = \ln x! - x \ln x + x, \quad D = \sum_i d_i.

    Parameters
    ----------
    graph : Graph
        The graph.
    unit : float
        Number of counts per unit of weight; degrees are told as whole numbers of counts.

    Examples
    --------
    All nodes of a ring have degree 2, which is told quickly:

    >>> from powercut import Graph
    >>> from powercut.graphs.degrees import degree_nats
    >>> ring = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize="max")
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], symmetrize="max")
    >>> degree_nats(ring, 1.0) < degree_nats(path, 1.0)
    True
    """
    degrees, nodes = graph.degree_histogram
    rates = unit * float(nodes @ xlogy(degrees, degrees))
    return _told_nats(*_rounded(degrees, nodes, unit)) - rates


def _rounded(degrees: FloatArray, counts: IntArray, unit: float) -> tuple[FloatArray, IntArray]:
    """Return the histogram of degrees as whole numbers of counts."""
    values, at = np.unique(np.rint(unit * degrees), return_inverse=True)
    return values, np.bincount(at, weights=counts).astype(np.int64)


def _told_nats(values: FloatArray, histogram: IntArray) -> float:
    """Return the code length of the degrees, less what the edges tell of them again."""
    n, largest = int(histogram.sum()), int(values.max(initial=0))
    which = gammaln(n + 1) - gammaln(histogram + 1).sum()
    how_many = gammaln(n + largest + 1) - gammaln(n + 1) - gammaln(largest + 1)
    twice = histogram @ _stirling_error(values) - _stirling_error(histogram @ values)
    return float(which + how_many + np.log1p(largest) - max(twice, 0.0))


def _stirling_error(x: npt.ArrayLike) -> FloatArray:
    """Return ln x! - x ln x + x, the error of Stirling's simplest formula."""
    x = np.asarray(x, dtype=np.float64)
    return np.asarray(gammaln(x + 1) - xlogy(x, x) + x)
