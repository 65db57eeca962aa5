r"""Whether points have more structure than one cloud.

Neighbours of neighbours are often neighbours, so that even the neighbour graph of one cloud is
described shorter by pieces than by one cluster. `powercut.graphs.dependence` estimates from closed
wedges how much that overstates the evidence. In many dimensions these are few, but the pieces
remain; so it is measured there: the gain

.. math:: G = \frac1n \left( L_1 - \min_\pi L_\pi \right)

of the best partition :math:`\pi` over one cluster, with L the description length of the neighbour
graph, for the points, and for as many points of a round Gaussian cloud. The ratio of the two is .9
to 1.2 for clouds, cubes and sheets in 20 and 40 dimensions, and more than 2 for two cubes in 20
dimensions that overlap by two thirds of their edges.

A cloud with the covariance of the points would be no measure: that of two clusters is long, and
gains by pieces along it as much as they do. Points that fill fewer dimensions than they have gain
more than a round cloud, whether they have clusters or not; the answer is then left to the tradeoff.
"""

import numpy as np
import numpy.typing as npt

from powercut._typing import LABEL, Random
from powercut.graphs import neighbors
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.block_search import BlockSearch
from powercut.graphs.description import describe
from powercut.graphs.fit import fit_blocks
from powercut.progress import ProgressReporter

# Of more points, a sample is compared.
SAMPLE = 2000
# Below this ratio the points are one cloud.
LEAST_RATIO = 1.3


def is_one_cloud(
    X: npt.NDArray[np.floating],
    *,
    random: Random,
    n_threads: int = 1,
    reporter: ProgressReporter | None = None,
) -> bool:
    """Return whether a neighbour graph gains hardly more by clusters than that of one cloud.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The points.
    random : numpy.random.Generator
        Draws the cloud, and a sample of many points.
    n_threads : int
        Number of threads.
    reporter : ProgressReporter, optional
        May end the searches early; the answer is then False.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.graphs.cloud import is_one_cloud
    >>> random = np.random.default_rng(0)
    >>> cube = random.uniform(size=(1000, 40))
    >>> is_one_cloud(cube, random=random)
    True
    >>> two = np.concatenate([cube[:500], cube[500:] + 0.5])
    >>> is_one_cloud(two, random=random)
    False
    """
    reporter = ProgressReporter() if reporter is None else reporter
    if len(X) > SAMPLE:
        X = X[np.sort(random.choice(len(X), SAMPLE, replace=False))]
    cloud = random.standard_normal(X.shape)
    gain, of_cloud = (_gain(points, random, n_threads, reporter) for points in (X, cloud))
    return not reporter.expired() and gain < LEAST_RATIO * of_cloud


def _gain(
    X: npt.NDArray[np.floating], random: Random, n_threads: int, reporter: ProgressReporter
) -> float:
    """Return the nats that the best partition of the neighbour graph gains over one cluster."""
    graph = neighbors.graph(X, n_jobs=n_threads, random_state=0)
    level = block_level(graph, n_threads=n_threads)
    search = BlockSearch(graph, level, n_jobs=n_threads, random=random, reporter=reporter)
    fit = fit_blocks(search, unit=1.0, tradeoff=1.0)
    one = np.zeros(len(X), dtype=LABEL)
    models = [BlockModel.of(graph, degree_corrected=corrected) for corrected in (False, True)]
    return min(describe(graph, level, one, model).nats for model in models) - fit.description.nats
