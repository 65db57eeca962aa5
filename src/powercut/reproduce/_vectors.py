"""The methods for vectors: each clusters one sample, its setting validated on another."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from powercut import PowerLawMeans
from powercut._typing import Labels
from powercut.baselines import DPMeans, PYPMeans
from powercut.reproduce._protocol import Method, Sample, fit_validated

# Concentration, discount and tradeoff.
Prior = tuple[float, float, float]
# Concentrations and discounts, each with prices of a cluster to walk through.
PRIORS = ((1.0, 0.2), (1.0, 0.0), (1e-3, 0.0), (1e-20, 0.0))
# What a point pays for a cluster of its own, in mean squared distances to the mean of all.
PRICES = np.geomspace(60, 0.4, 16)
# pyp-means: the authors' ratio of penalty and discount.
PYP_RATIO = 6


def prior_walks(n: int, mean_square: float) -> list[list[Prior]]:
    """Return settings for n points, by their mean squared distance to the mean of all."""
    # A point that leaves n others for a cluster of its own pays tradeoff * ln(n / concentration).
    return [
        [(alpha, theta, float(price * mean_square / np.log(n / alpha))) for price in PRICES]
        for alpha, theta in PRIORS
    ]


def power_law(algorithm: str, validation: Sample, sample: Sample, run: int) -> Labels:
    """Minimise the paper's objective, by its Algorithm 1 or by exact moves."""

    def fit(setting: Prior, points: Sample) -> Labels:
        concentration, discount, tradeoff = setting
        model = PowerLawMeans(
            "kmeans",
            concentration=concentration,
            discount=discount,
            tradeoff=tradeoff,
            algorithm=algorithm,
            random_state=run,
        )
        return _labels(model, points)

    walks = prior_walks(len(validation.X), _mean_square(validation))
    return fit_validated(fit, walks, validation, sample)


def nothing_to_set(_: Sample, sample: Sample, run: int) -> Labels:
    """Find Gaussian clusters with everything estimated."""
    return _labels(PowerLawMeans(random_state=run), sample)


def k_means(_: Sample, sample: Sample, run: int) -> Labels:
    """Cluster by k-means that is told the number of classes."""
    return _labels(KMeans(sample.n_classes, n_init=10, random_state=run), sample)


def pyp_means(validation: Sample, sample: Sample, _: int) -> Labels:
    """Cluster by pyp-means, its penalty validated."""

    def fit(penalty: float, points: Sample) -> Labels:
        return _labels(PYPMeans(penalty, penalty / PYP_RATIO), points)

    return _penalised(fit, validation, sample)


def dp_means(validation: Sample, sample: Sample, _: int) -> Labels:
    """Cluster by DP-means, its penalty validated."""
    return _penalised(lambda penalty, points: _labels(DPMeans(penalty), points), validation, sample)


def _penalised(
    fit: Callable[[float, Sample], Labels], validation: Sample, sample: Sample
) -> Labels:
    unit = _mean_square(validation)
    walk = [float(price * unit) for price in PRICES]
    return fit_validated(fit, [walk], validation, sample)


def _mean_square(sample: Sample) -> float:
    """Return the mean squared distance to the mean."""
    return float(sample.X.var(axis=0).sum())


def _labels(model: Any, sample: Sample) -> Labels:
    with warnings.catch_warnings():
        # Settings with one cluster, or without an end, are among those that are tried.
        warnings.simplefilter("ignore", UserWarning)
        labels: Labels = model.fit(sample.X).labels_
    return labels


OURS: dict[str, Method] = {
    "Algorithm 1": partial(power_law, "lloyd"),
    "exact moves": partial(power_law, "multilevel"),
    "nothing to set": nothing_to_set,
}
OTHERS: dict[str, Method] = {
    "k-means, true k": k_means,
    "pyp-means": pyp_means,
    "DP-means": dp_means,
}
