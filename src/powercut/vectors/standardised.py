"""Standardised vectors."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from powercut._typing import BoolArray, FloatArray
from powercut._utils import slices
from powercut.vectors.points import ROWS_AT_ONCE, mean_and_variance, varies


@dataclass(frozen=True)
class Standardised:
    """The transformation of each feature to mean 0 and standard deviation 1.

    Constant features are dropped: they carry no information about clusters. With `common`, all
    features are divided by one common scale and keep their proportions.

    Attributes
    ----------
    mean, deviation : ndarray of shape (d,)
        Mean and scale of the features that are kept.
    kept : ndarray of int
        Indices of these features.
    """

    mean: FloatArray
    deviation: FloatArray
    kept: npt.NDArray[np.intp]

    @classmethod
    def of(cls, X: npt.NDArray[np.floating], *, common: bool) -> "Standardised":
        """Compute means and standard deviations."""
        mean, variance = mean_and_variance(X)
        different = varies(X)
        # The mean of a constant feature may be rounded.
        mean = np.where(different, mean, X[0])
        return cls.of_moments(mean, variance, different, common=common)

    @classmethod
    def of_moments(
        cls, mean: FloatArray, variance: FloatArray, different: BoolArray, *, common: bool
    ) -> "Standardised":
        """Take means and variances, and which features have more than one value."""
        # Rounding may give a constant feature a variance above 0.
        kept = np.flatnonzero((variance > 0) & different)
        if not len(kept):  # all points are equal: keep any one feature
            return cls(mean[:1], np.ones(1), np.zeros(1, dtype=np.intp))
        mean, deviation = mean[kept], np.sqrt(variance[kept])
        if common:
            deviation = np.full(len(kept), np.sqrt(np.mean(deviation**2)))
        return cls(mean, deviation, kept)

    def __call__(self, X: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
        """Return standardised rows."""
        standard = np.empty((len(X), len(self.kept)), dtype=X.dtype)
        for rows in slices(len(X), ROWS_AT_ONCE):
            standard[rows] = (X[rows, self.kept] - self.mean) / self.deviation
        return standard

    @property
    def log_volume(self) -> float:
        """Log-Jacobian: nats to add per unit of weight, to measure densities in units of X."""
        return float(np.log(self.deviation).sum())
