"""Vectors in units of their own deviations."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from powercut._typing import FloatArray
from powercut._utils import slices
from powercut.vectors.points import ROWS_AT_ONCE, mean_and_variance, varies


@dataclass(frozen=True)
class Standardised:
    """Points with each feature shifted to mean 0 and scaled to deviation 1.

    Features that are constant are left out: they tell no two points apart. With one
    common scale, all features keep their proportions.

    Attributes
    ----------
    mean, deviation : ndarray of shape (d,)
        What was subtracted from the features that are kept, and what divided them.
    kept : ndarray of int
        Which features these are.
    """

    mean: FloatArray
    deviation: FloatArray
    kept: npt.NDArray[np.intp]

    @classmethod
    def of(cls, X: npt.NDArray[np.floating], *, common: bool) -> "Standardised":
        """Find means and deviations."""
        mean, variance = mean_and_variance(X)
        # The mean of a feature that is constant may be off by rounding.
        kept = np.flatnonzero((variance > 0) & varies(X))
        mean, deviation = mean[kept], np.sqrt(variance[kept])
        if not len(kept):  # all points are one, to which any feature will do
            return cls(X[0, :1].astype(np.float64), np.ones(1), np.zeros(1, dtype=np.intp))
        if common:
            deviation = np.full(len(kept), np.sqrt(np.mean(deviation**2)))
        return cls(mean, deviation, kept)

    def __call__(self, X: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
        """Return rows in standard units."""
        standard = np.empty((len(X), len(self.kept)), dtype=X.dtype)
        for rows in slices(len(X), ROWS_AT_ONCE):
            standard[rows] = (X[rows, self.kept] - self.mean) / self.deviation
        return standard

    @property
    def log_volume(self) -> float:
        """Nats that a unit of weight costs more in the units of X."""
        return float(np.log(self.deviation).sum())
