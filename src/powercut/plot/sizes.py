"""Cluster sizes, with the fitted Pitman-Yor prior and power law."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from scipy.special import zeta
from sklearn.utils import check_random_state

from powercut._typing import FloatArray
from powercut.plot._axes import BLACK, BLUE, SKY, VERMILION, count, make_axes, plain_log, tidy
from powercut.prior import PitmanYor
from powercut.results.sizes import PowerLawTail, SizeDistribution, size_distribution

# Number of partitions drawn from the prior for the band, and the share of them inside it.
N_DRAWS, INSIDE = 100, 0.9
# Number of points of a curve.
N_POINTS = 200


def rank_size(labels: npt.ArrayLike, *, random_state: Any = 0, ax: Axes | None = None) -> Axes:
    """Draw the sizes of clusters by rank, with the fits of `powercut.size_distribution`.

    At each rank the band holds 90 % of the sizes in partitions drawn from the fitted Pitman-Yor
    prior: sizes outside it are improbable under the prior.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Cluster of each point.
    random_state : int, RandomState instance or None, default=0
        Determines the partitions that are drawn from the prior.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from powercut import PitmanYor, plot
    >>> ax = plot.rank_size(PitmanYor(10.0, 0.5).sample(10_000, random_state=0))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('rank', 'size of cluster')
    """
    found = size_distribution(labels)
    ax = make_axes(ax)
    k = len(found.sizes)
    ranks = np.unique(np.geomspace(1, k, N_POINTS).round().astype(np.int64))
    low, high = _band(found.prior, int(found.sizes.sum()), ranks, random_state)
    ax.fill_between(
        ranks, low, high, color=SKY, alpha=0.35, linewidth=0, label=_prior_label(found.prior)
    )
    ax.plot(
        np.arange(1, k + 1), found.sizes, ".", color=BLACK, markersize=4, label=count(k, "cluster")
    )
    if found.power_law is not None:
        x, above = _tail(found.power_law, found)
        ax.plot(above, x, color=VERMILION, linewidth=1.5, label=_power_law_label(found.power_law))
    ax.set(xscale="log", yscale="log", xlabel="rank", ylabel="size of cluster")
    ax.set_ylim(bottom=0.7)
    plain_log(ax.xaxis)
    plain_log(ax.yaxis)
    ax.legend(frameon=False, fontsize="small")
    tidy(ax)
    return ax


def size_histogram(labels: npt.ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw a histogram of cluster sizes, in bins whose width doubles.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Cluster of each point.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from powercut import PitmanYor, plot
    >>> ax = plot.size_histogram(PitmanYor(10.0, 0.5).sample(10_000, random_state=0))
    >>> ax.get_ylabel()
    'clusters'
    """
    found = size_distribution(labels)
    ax = make_axes(ax)
    n, largest = int(found.sizes.sum()), int(found.sizes[0])
    # Bin b holds the sizes from 2^b to 2^(b+1) - 1.
    n_bins = largest.bit_length()
    edges = 2 ** np.arange(n_bins + 1)
    counts, _ = np.histogram(found.sizes, edges)
    ax.stairs(
        counts, edges, fill=True, color=BLUE, alpha=0.4, label=count(len(found.sizes), "cluster")
    )
    expected = _expected_counts(found.prior, n, edges)
    centres = np.sqrt(edges[:-1] * edges[1:])
    ax.plot(centres, expected, "o-", color=BLACK, markersize=4, label=_prior_label(found.prior))
    if found.power_law is not None:
        tail = found.power_law
        starts = edges[edges >= tail.smallest]
        if len(starts) > 1:
            above = tail.n_tail * zeta(tail.exponent, starts) / zeta(tail.exponent, tail.smallest)
            ax.plot(
                np.sqrt(starts[:-1] * starts[1:]),
                above[:-1] - above[1:],
                "s--",
                color=VERMILION,
                markersize=4,
                label=_power_law_label(tail),
            )
    ax.set(xscale="log", yscale="log", xlabel="size of cluster", ylabel="clusters")
    ax.set_ylim(bottom=0.5)
    plain_log(ax.xaxis)
    plain_log(ax.yaxis)
    ax.legend(frameon=False, fontsize="small")
    tidy(ax)
    return ax


def _band(
    prior: PitmanYor, n: int, ranks: npt.NDArray[np.int64], random_state: Any
) -> tuple[FloatArray, FloatArray]:
    """Return the band of sizes at each rank over draws; sizes beyond the last rank are 0."""
    random = check_random_state(random_state)
    sizes = np.zeros((N_DRAWS, len(ranks)))
    for row in sizes:
        drawn = np.sort(np.bincount(prior.sample(n, random_state=random)))[::-1]
        there = ranks <= len(drawn)
        row[there] = drawn[ranks[there] - 1]
    low, high = np.quantile(sizes, [(1 - INSIDE) / 2, (1 + INSIDE) / 2], axis=0)
    return np.maximum(low, 0.1), np.maximum(high, 0.1)


def _tail(tail: PowerLawTail, found: SizeDistribution) -> tuple[FloatArray, FloatArray]:
    """Return sizes, and the expected number of clusters of at least that size."""
    sizes = np.geomspace(tail.smallest, found.sizes[0], N_POINTS)
    above = tail.n_tail * zeta(tail.exponent, sizes) / zeta(tail.exponent, tail.smallest)
    return sizes, above


def _expected_counts(prior: PitmanYor, n: int, edges: npt.NDArray[np.int64]) -> FloatArray:
    """Return the expected number of clusters in each bin under the prior."""
    return np.array(
        [
            prior.expected_clusters_of_size(n, np.arange(low, min(high, n + 1))).sum()
            for low, high in pairwise(edges)
        ]
    )


def _prior_label(prior: PitmanYor) -> str:
    return f"Pitman-Yor: concentration {prior.concentration:.3g}, discount {prior.discount:.2f}"


def _power_law_label(tail: PowerLawTail) -> str:
    return f"power law from {tail.smallest} on: exponent {tail.exponent:.2f}"
