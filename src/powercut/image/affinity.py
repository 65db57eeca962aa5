"""How likely two regions belong to one segment: the affinity of every pair."""

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

# Logistic regression of the share of humans who put two regions into one segment, on what
# pair_features returns; from experiments/image_weights.py.
AFFINITY_WEIGHTS = {
    "barrier": -7.15,
    "path": -0.18,
    "spectral": -0.98,
    "brightness": -0.4,
    "colour": -1.6,
    "texture": -1.4,
}
AFFINITY_INTERCEPT = 3.6

# Boundaries of this strength weaken the tie between two regions e times, in the embedding.
TIE = 0.1
N_EIGENVECTORS = 16


def same_segment(regions: Regions, cues: Cues) -> Pairs:
    """Return the estimated chance that a human puts two regions into one segment, (n, n)."""
    features = pair_features(regions, cues)
    evidence = sum(weight * features[name] for name, weight in AFFINITY_WEIGHTS.items())
    return np.asarray(squareform(expit(np.asarray(evidence) + AFFINITY_INTERCEPT)))


def pair_features(regions: Regions, cues: Cues) -> dict[str, Pairs]:
    """Return what tells two regions apart, for all pairs in the order of ``pdist``.

    barrier
        Strongest boundary that must be crossed on the way from one to the other.
    path
        Boundaries crossed on the way that crosses least, added up: the intervening contour.
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
    """Return the strongest boundary on the way that has the weakest such: single linkage."""
    n = len(regions)
    gaps = np.full((n, n), np.inf)
    gaps[regions.one, regions.other] = gaps[regions.other, regions.one] = regions.strength
    np.fill_diagonal(gaps, 0)
    # Regions that do not touch are far apart, but finite: the hierarchy asks for it.
    gaps[np.isinf(gaps)] = 2
    return np.asarray(cophenet(linkage(squareform(gaps, checks=False), "single")))


def _paths(regions: Regions) -> Pairs:
    """Return the least sum of boundaries on the way, strong ones counting more than weak ones."""
    n = len(regions)
    costs = coo_array((regions.strength**1.5 + 1e-3, (regions.one, regions.other)), shape=(n, n))
    return np.asarray(squareform(dijkstra(costs.tocsr(), directed=False), checks=False))


def _embedding(regions: Regions) -> Pairs:
    """Return the leading eigenvectors of the graph of touching regions, as in normalized cuts.

    Each is divided by the root of its normalized cut, relative to the first one's: slow
    directions count most.
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
    # The last vector is constant over the image. The others have unit variance, by degree.
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
