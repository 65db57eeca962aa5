"""The affinity of superpixels: the probability that two of them belong to the same segment."""

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.linalg import eigh
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import pdist, squareform
from scipy.special import expit

from powercut.image.cues import Cues, doubled
from powercut.image.regions import Regions

Pairs = npt.NDArray[np.float64]

# Logistic regression of the share of humans who put two regions into the same segment on
# pair_features; from experiments/image_weights.py.
AFFINITY_WEIGHTS = {
    "barrier": -7.15,
    "path": -0.18,
    "spectral": -0.98,
    "brightness": -0.4,
    "colour": -1.6,
    "texture": -1.4,
}
AFFINITY_INTERCEPT = 3.6

# In the embedding, a boundary of this strength divides the weight between two regions by e.
TIE = 0.1
N_EIGENVECTORS = 16


def same_segment(regions: Regions, cues: Cues) -> Pairs:
    """Return the estimated probabilities, (n, n), that a human puts two regions together."""
    features = pair_features(regions, cues)
    evidence = sum(weight * features[name] for name, weight in AFFINITY_WEIGHTS.items())
    return np.asarray(squareform(expit(np.asarray(evidence) + AFFINITY_INTERCEPT)))


def pair_features(regions: Regions, cues: Cues) -> dict[str, Pairs]:
    """Return dissimilarity features of all pairs of regions, in the order of ``pdist``.

    barrier
        Strongest boundary on the path between them that minimises it (minimax path).
    path
        Sum of the boundaries on the shortest path between them: the intervening contour.
    spectral
        Distance in the leading eigenvectors of the normalized cut of touching regions.
    brightness, colour
        Difference of the mean L, and of the mean (a, b).
    texture
        Chi-squared distance of the histograms of textons.
    """
    lab = regions.means(np.moveaxis(cues.lab, -1, 0))
    textons = regions.means(doubled(cues.histograms[-1], regions.labels.shape))
    return {
        "barrier": np.sqrt(_barriers(regions)),
        "path": np.log(_paths(regions) + 0.05),
        "spectral": np.log(pdist(_embedding(regions)) + 0.05),
        "brightness": pdist(lab[:, :1]) / 20,
        "colour": np.sqrt(pdist(lab[:, 1:]) / 20),
        "texture": _chi_squared(textons),
    }


def _barriers(regions: Regions) -> Pairs:
    """Return the minimax path distances of all pairs, by single linkage."""
    n = len(regions)
    gaps = np.full((n, n), np.inf)
    gaps[regions.one, regions.other] = gaps[regions.other, regions.one] = regions.strength
    np.fill_diagonal(gaps, 0)
    # Regions that do not touch get a large but finite distance, as linkage requires.
    gaps[np.isinf(gaps)] = 2
    return np.asarray(cophenet(linkage(squareform(gaps, checks=False), "single")))


def _paths(regions: Regions) -> Pairs:
    """Return shortest-path distances of all pairs, with superlinear costs of strong boundaries."""
    n = len(regions)
    costs = coo_array((regions.strength**1.5 + 1e-3, (regions.one, regions.other)), shape=(n, n))
    return np.asarray(squareform(dijkstra(costs.tocsr(), directed=False), checks=False))


def _embedding(regions: Regions) -> Pairs:
    """Return the leading eigenvectors of the region adjacency graph, as in normalized cuts.

    Each is divided by the square root of its normalized cut, relative to that of the first, so
    that vectors of small cut have the largest weight.
    """
    n = len(regions)
    ties = np.zeros((n, n))
    ties[regions.one, regions.other] = regions.length * np.exp(-regions.strength / TIE)
    ties += ties.T
    degrees = ties.sum(axis=1)
    first = max(n - 1 - N_EIGENVECTORS, 0)
    values, vectors = eigh(
        ties / np.sqrt(np.outer(degrees, degrees)), subset_by_index=(first, n - 1)
    )
    # The last vector is constant over the image. The others have unit degree-weighted variance.
    vectors = vectors[:, :-1] * np.sqrt(degrees.sum() / degrees)[:, None]
    cuts = np.maximum(1 - values[:-1], 1e-6)
    return np.asarray(vectors / np.sqrt(cuts / cuts[-1]))


def _chi_squared(histograms: Pairs) -> Pairs:
    """Return the chi-squared distances of all pairs of rows."""
    n = len(histograms)
    one, other = np.triu_indices(n, 1)
    distance = np.zeros(len(one))
    for share in histograms.T:
        total = share[one] + share[other]
        distance += (share[one] - share[other]) ** 2 / (total + 1e-6) / 2
    return distance
