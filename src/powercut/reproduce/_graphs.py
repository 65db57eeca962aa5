"""The methods for graphs: each cuts one graph, its setting validated on another."""

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

# Of the similarity, in median distances between two points.
WIDTHS = (0.15, 0.3, 0.6, 1.0)
# A point far from all others must not be without edges.
SMALLEST = 1e-9
# What a cluster costs in the normalized cut, from few clusters to many.
SHIFTS = (-0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3, -0.25, -0.2, -0.15, -0.1, -0.05)
TRADEOFFS = (1e-5, 1e-3)
# Of Algorithm 1, which needs a shift that is not negative.
KERNEL_SHIFTS = (0.0, 0.1, 0.5)
KERNEL_TRADEOFFS = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4)
# To a likelihood all n^2 edges are evidence, and take their time.
LARGEST_FOR_LIKELIHOOD = 500


def similarity_graph(X: Features, width: float) -> Graph:
    """Return the Gaussian similarities of all pairs of points."""
    weights = rbf_kernel(X, gamma=1 / (2 * width**2))
    np.fill_diagonal(weights, 0)
    return Graph(np.maximum(weights, SMALLEST * (1 - np.eye(len(X)))))


def widths(validation: Sample) -> list[float]:
    """Return the widths that are tried."""
    unit = float(np.median(pdist(validation.X)))
    return [share * unit for share in WIDTHS]


def ratio_association(validation: Sample, sample: Sample, run: int) -> Labels:
    """Lower the power-law ratio association by exact moves: k-means in the space of the kernel."""

    def fit(setting: tuple[float, Prior], points: Sample) -> Labels:
        width, (concentration, discount, tradeoff) = setting
        model = PowerLawCut(
            "rassoc",
            concentration=concentration,
            discount=discount,
            tradeoff=tradeoff,
            shift=1.0,  # the similarity of a point with itself, which is no edge
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
    """Lower the power-law normalized cut by exact moves, at shifts that are negative."""

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
    """Lower it by Algorithm 1 in kernel space, from one cluster."""

    def fit(setting: tuple[float, float, float], points: Sample) -> Labels:
        width, shift, tradeoff = setting
        model = PowerLawCut(
            "ncut",
            shift=shift,
            tradeoff=tradeoff,
            algorithm="lloyd",
            max_iter=30,  # at n clusters passes go on exchanging single points
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
    """Find blocks with all but the width estimated, if the graph is small."""
    if len(sample.X) > LARGEST_FOR_LIKELIHOOD:
        return None

    def fit(width: float, points: Sample) -> Labels:
        return _labels(PowerLawCut(random_state=run), points, width)

    walks = [[width] for width in widths(validation)]
    return fit_validated(fit, walks, validation, sample)


def normalized_cuts(validation: Sample, sample: Sample, run: int) -> Labels:
    """Cut by spectral normalized cuts that are told the number of classes."""

    def fit(width: float, points: Sample) -> Labels:
        return _labels(NormalizedCut(points.n_classes, random_state=run), points, width)

    walks = [[width] for width in widths(validation)]
    return fit_validated(fit, walks, validation, sample)


def _labels(model: Any, points: Sample, width: float) -> Labels:
    with warnings.catch_warnings():
        # Settings with one cluster, or without an end, are among those that are tried.
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
