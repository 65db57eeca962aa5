"""The methods for vectors: each clusters one sample, with a setting validated on another."""

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
# Concentrations and discounts, each combined with all of PRICES.
PRIORS = ((1.0, 0.2), (1.0, 0.0), (1e-3, 0.0), (1e-20, 0.0))
# Cost of making a point a singleton, in units of the mean squared distance to the overall mean.
PRICES = np.geomspace(60, 0.4, 16)
# pyp-means: ratio of penalty to discount, as used by its authors.
PYP_RATIO = 6


def prior_walks(n: int, mean_square: float) -> list[list[Prior]]:
    """Return walks of settings for n points with this mean squared distance to the overall mean."""
    # A point that leaves n others to become a singleton costs tradeoff * ln(n / concentration).
    return [
        [(alpha, theta, float(price * mean_square / np.log(n / alpha))) for price in PRICES]
        for alpha, theta in PRIORS
    ]


def power_law(algorithm: str, validation: Sample, sample: Sample, run: int) -> Labels:
    """Minimise the paper's objective, by its Algorithm 1 or by local moves."""

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
    """Find Gaussian clusters with all hyperparameters estimated."""
    return _labels(PowerLawMeans(random_state=run), sample)


def k_means(_: Sample, sample: Sample, run: int) -> Labels:
    """Cluster by k-means with the true number of classes."""
    return _labels(KMeans(sample.n_classes, n_init=10, random_state=run), sample)


def pyp_means(validation: Sample, sample: Sample, _: int) -> Labels:
    """Cluster by pyp-means with a validated penalty."""

    def fit(penalty: float, points: Sample) -> Labels:
        return _labels(PYPMeans(penalty, penalty / PYP_RATIO), points)

    return _penalised(fit, validation, sample)


def dp_means(validation: Sample, sample: Sample, _: int) -> Labels:
    """Cluster by DP-means with a validated penalty."""
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
        # Some of the settings give one cluster, or do not converge.
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
