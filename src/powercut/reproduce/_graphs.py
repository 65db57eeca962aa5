"""The methods for graphs: each cuts one graph, its setting validated on another."""

import warnings
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

from powercut import Graph, PowerLawCut
from powercut.baselines import NormalizedCut
from powercut.partition import Labels
from powercut.reproduce._protocol import Features, Method, Sample, validate
from powercut.reproduce._vectors import Prior, prior_walks

# Of the median distance between two points.
WIDTH = 0.6
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


def similarity_graphs(validation: Sample, sample: Sample) -> tuple[Graph, Graph]:
    """Return the Gaussian similarities within both, of a width that the first decides."""
    width = WIDTH * float(np.median(pdist(validation.X)))
    return _similarities(validation.X, width), _similarities(sample.X, width)


def _similarities(X: Features, width: float) -> Graph:
    weights = rbf_kernel(X, gamma=1 / (2 * width**2))
    np.fill_diagonal(weights, 0)
    return Graph(np.maximum(weights, SMALLEST * (1 - np.eye(len(X)))))


def ratio_association(validation: Sample, sample: Sample, run: int) -> Labels:
    """Lower the power-law ratio association by exact moves: k-means in the space of the kernel."""

    def fit(setting: Prior, graph: Graph) -> Labels:
        concentration, discount, tradeoff = setting
        model = PowerLawCut(
            "rassoc",
            concentration=concentration,
            discount=discount,
            tradeoff=tradeoff,
            shift=1.0,  # the similarity of a point with itself, which is no edge
            random_state=run,
        )
        return _labels(model, graph)

    first, second = similarity_graphs(validation, sample)
    n = first.n_nodes
    mean_square = 1 - (first.total_weight + n) / n**2
    walks = prior_walks(n, mean_square)
    return fit(validate(lambda s: fit(s, first), walks, validation), second)


def normalized_cut(validation: Sample, sample: Sample, run: int) -> Labels:
    """Lower the power-law normalized cut by exact moves, shift and tradeoff validated."""

    def fit(setting: tuple[float, float], graph: Graph) -> Labels:
        shift, tradeoff = setting
        return _labels(PowerLawCut("ncut", shift=shift, tradeoff=tradeoff, random_state=run), graph)

    first, second = similarity_graphs(validation, sample)
    walks = [[(shift, tradeoff) for shift in SHIFTS] for tradeoff in TRADEOFFS]
    return fit(validate(lambda s: fit(s, first), walks, validation), second)


def algorithm_1(validation: Sample, sample: Sample, run: int) -> Labels:
    """Lower it by Algorithm 1 in kernel space, from one cluster."""

    def fit(setting: tuple[float, float], graph: Graph) -> Labels:
        shift, tradeoff = setting
        model = PowerLawCut(
            "ncut",
            shift=shift,
            tradeoff=tradeoff,
            algorithm="lloyd",
            max_iter=30,  # at n clusters passes go on exchanging single points
            connected=False,
            random_state=run,
        )
        return _labels(model, graph)

    first, second = similarity_graphs(validation, sample)
    walks = [[(shift, tradeoff) for tradeoff in KERNEL_TRADEOFFS] for shift in KERNEL_SHIFTS]
    return fit(validate(lambda s: fit(s, first), walks, validation), second)


def nothing_to_set(validation: Sample, sample: Sample, run: int) -> Labels | None:
    """Find blocks with everything estimated, if the graph is small."""
    if len(sample.X) > LARGEST_FOR_LIKELIHOOD:
        return None
    return _labels(PowerLawCut(random_state=run), similarity_graphs(validation, sample)[1])


def normalized_cuts(validation: Sample, sample: Sample, run: int) -> Labels:
    """Cut by spectral normalized cuts that are told the number of classes."""
    graph = similarity_graphs(validation, sample)[1]
    return _labels(NormalizedCut(sample.n_classes, random_state=run), graph)


def _labels(model: Any, graph: Graph) -> Labels:
    with warnings.catch_warnings():
        # Settings with one cluster, or without an end, are among those that are tried.
        warnings.simplefilter("ignore", UserWarning)
        labels: Labels = model.fit(graph).labels_
    return labels


OURS: dict[str, Method] = {
    "Algorithm 1": algorithm_1,
    "exact normalized cut": normalized_cut,
    "exact ratio association": ratio_association,
    "nothing to set": nothing_to_set,
}
OTHERS: dict[str, Method] = {"normalized cuts, true k": normalized_cuts}
