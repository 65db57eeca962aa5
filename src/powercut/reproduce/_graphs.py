"""The methods for graphs: each clusters one graph, with a setting validated on another."""

import warnings
from itertools import product
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

from powercut import Graph, PowerLawCut
from powercut._typing import Labels
from powercut.baselines import NormalizedCut
from powercut.reproduce._protocol import Features, Method, Sample, fit_validated
from powercut.reproduce._vectors import Prior, prior_walks

# Kernel widths that are tried, in units of the median distance between two points.
WIDTHS = (0.15, 0.3, 0.6, 1.0)
# Lower bound on similarities: a point far from all others must not be isolated.
SMALLEST = 1e-9
# Shifts of the normalized cut, from few clusters to many.
SHIFTS = (-0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3, -0.25, -0.2, -0.15, -0.1, -0.05)
TRADEOFFS = (1e-5, 1e-3)
# For Algorithm 1, which needs a nonnegative shift.
KERNEL_SHIFTS = (0.0, 0.1, 0.5)
KERNEL_TRADEOFFS = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4)
# The likelihood is computed from all n^2 edges of these dense graphs, which is slow.
LARGEST_FOR_LIKELIHOOD = 500


def similarity_graph(X: Features, width: float) -> Graph:
    """Return the complete graph of Gaussian similarities."""
    weights = rbf_kernel(X, gamma=1 / (2 * width**2))
    np.fill_diagonal(weights, 0)
    return Graph(np.maximum(weights, SMALLEST * (1 - np.eye(len(X)))))


def widths(validation: Sample) -> list[float]:
    """Return the kernel widths that are tried."""
    unit = float(np.median(pdist(validation.X)))
    return [share * unit for share in WIDTHS]


def ratio_association(validation: Sample, sample: Sample, run: int) -> Labels:
    """Optimise the power-law ratio association by local moves: k-means in kernel space."""

    def fit(setting: tuple[float, Prior], points: Sample) -> Labels:
        width, (concentration, discount, tradeoff) = setting
        model = PowerLawCut(
            "rassoc",
            concentration=concentration,
            discount=discount,
            tradeoff=tradeoff,
            shift=1.0,  # the similarity of a point to itself, which is not an edge of the graph
            random_state=run,
        )
        return _labels(model, points, width)

    walks = []
    for width in widths(validation):
        mean_square = 1 - float(rbf_kernel(validation.X, gamma=1 / (2 * width**2)).mean())
        priors = prior_walks(len(validation.X), mean_square)
        walks += [[(width, prior) for prior in walk] for walk in priors]
    return fit_validated(fit, walks, validation, sample)


def normalized_cut(validation: Sample, sample: Sample, run: int) -> Labels:
    """Minimise the power-law normalized cut by local moves, at negative shifts."""

    def fit(setting: tuple[float, float, float], points: Sample) -> Labels:
        width, shift, tradeoff = setting
        model = PowerLawCut("ncut", shift=shift, tradeoff=tradeoff, random_state=run)
        return _labels(model, points, width)

    walks = [
        [(width, shift, tradeoff) for shift in SHIFTS]
        for width, tradeoff in product(widths(validation), TRADEOFFS)
    ]
    return fit_validated(fit, walks, validation, sample)


def algorithm_1(validation: Sample, sample: Sample, run: int) -> Labels:
    """Minimise the power-law normalized cut by Algorithm 1 in kernel space, from one cluster."""

    def fit(setting: tuple[float, float, float], points: Sample) -> Labels:
        width, shift, tradeoff = setting
        model = PowerLawCut(
            "ncut",
            shift=shift,
            tradeoff=tradeoff,
            algorithm="lloyd",
            max_iter=30,  # near n clusters, passes keep exchanging singletons
            connected=False,
            random_state=run,
        )
        return _labels(model, points, width)

    walks = [
        [(width, shift, tradeoff) for tradeoff in KERNEL_TRADEOFFS]
        for width, shift in product(widths(validation), KERNEL_SHIFTS)
    ]
    return fit_validated(fit, walks, validation, sample)


def likelihood(validation: Sample, sample: Sample, run: int) -> Labels | None:
    """Fit the block model, with only the width validated; None if the graph is too large."""
    if len(sample.X) > LARGEST_FOR_LIKELIHOOD:
        return None

    def fit(width: float, points: Sample) -> Labels:
        return _labels(PowerLawCut(random_state=run), points, width)

    walks = [[width] for width in widths(validation)]
    return fit_validated(fit, walks, validation, sample)


def normalized_cuts(validation: Sample, sample: Sample, run: int) -> Labels:
    """Cluster by spectral normalized cuts with the true number of classes."""

    def fit(width: float, points: Sample) -> Labels:
        return _labels(NormalizedCut(points.n_classes, random_state=run), points, width)

    walks = [[width] for width in widths(validation)]
    return fit_validated(fit, walks, validation, sample)


def _labels(model: Any, points: Sample, width: float) -> Labels:
    with warnings.catch_warnings():
        # Some of the settings give one cluster, or do not converge.
        warnings.simplefilter("ignore", UserWarning)
        labels: Labels = model.fit(similarity_graph(points.X, width)).labels_
    return labels


OURS: dict[str, Method] = {
    "Algorithm 1": algorithm_1,
    "exact normalized cut": normalized_cut,
    "exact ratio association": ratio_association,
    "likelihood": likelihood,
}
OTHERS: dict[str, Method] = {"normalized cuts, true k": normalized_cuts}
