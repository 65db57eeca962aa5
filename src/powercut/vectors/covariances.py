r"""Three forms of the covariance of a Gaussian cluster, and the sums that each needs.

A form says how squares are kept: a number a feature (``diagonal``), one number
(``spherical``) or a matrix (``full``), always in one row of `width` numbers. With
:math:`a_n = a + \rho W` for a cluster of weight W, all three have the marginal likelihood

.. math:: -\ln p = a_n \ln |B_n| - a \ln |B| + T(W), \qquad
          T = - m \sum_i \ln \frac{\Gamma(a_i + \rho W)}{\Gamma(a_i)}
              + \frac d2 \ln\Bigl(1 + \frac W\kappa\Bigr) + \frac{d W}2 \ln 2\pi

where :math:`|B|` is the product of the numbers, the number or the determinant.
"""

from abc import ABC, abstractmethod

import numpy as np

from powercut._typing import FloatArray
from powercut.vectors.points import row_squares


class Covariance(ABC):
    """How squares are kept, for points of `d` features.

    Attributes
    ----------
    name : str
        What users and kernels call it.
    scatter : str
        What `powercut.vectors.points.Points.aggregate` calls the form of its squares.
    width : int
        Numbers in the scatter of a cluster.
    rate : float
        What a unit of weight adds to the shape.
    times : float
        How often each of the Gamma functions of the shape counts.
    degree : int
        ``|t B|`` is ``t ** degree |B|``.
    n_parameters : int
        Free numbers of a scale.
    """

    name: str
    scatter: str
    width: int
    rate: float
    times: float
    degree: int
    n_parameters: int

    def __init__(self, d: int) -> None:
        self.d = d

    def shapes(self, shape: float) -> FloatArray:
        """Return the arguments of the Gamma functions."""
        return np.array([shape])

    @property
    def least_shape(self) -> float:
        """Half a point, and as many more as keep all arguments positive."""
        return 0.5

    @abstractmethod
    def squares(self, away: FloatArray) -> FloatArray:
        """Squares of each row; shape (n, width)."""

    @abstractmethod
    def log_size(self, scale: FloatArray) -> FloatArray:
        """``ln |B|`` of each row."""

    @abstractmethod
    def inverse(self, scale: FloatArray) -> FloatArray:
        """Return the inverse of each row, in the same form."""

    @abstractmethod
    def distance(self, away: FloatArray, precision: FloatArray) -> FloatArray:
        """Squared length of each row of deviations, measured by its precision."""

    @abstractmethod
    def mean(self, values: FloatArray, precision: FloatArray) -> FloatArray:
        """Mean of rows, each weighted by its precision."""

    @abstractmethod
    def of_features(self, variance: FloatArray) -> FloatArray:
        """Return variances of single features as a scale; shape (width,)."""

    def at_least(self, scale: FloatArray, floor: FloatArray) -> FloatArray:
        """Return the scale, raised where it is below the floor."""
        return np.maximum(scale, floor)


class Diagonal(Covariance):
    """A variance for each feature."""

    name = "diagonal"
    scatter = "features"
    rate = 0.5

    def __init__(self, d: int) -> None:
        super().__init__(d)
        self.width = self.degree = self.n_parameters = d
        self.times = float(d)

    def squares(self, away: FloatArray) -> FloatArray:
        return away**2

    def log_size(self, scale: FloatArray) -> FloatArray:
        return np.asarray(np.log(scale).sum(axis=-1))

    def inverse(self, scale: FloatArray) -> FloatArray:
        return 1.0 / scale

    def distance(self, away: FloatArray, precision: FloatArray) -> FloatArray:
        return np.asarray((away**2 * precision).sum(axis=-1))

    def mean(self, values: FloatArray, precision: FloatArray) -> FloatArray:
        return np.asarray((precision * values).sum(axis=0) / precision.sum(axis=0))

    def of_features(self, variance: FloatArray) -> FloatArray:
        return variance


class Spherical(Diagonal):
    """One variance for all features."""

    name = "spherical"
    scatter = "total"

    def __init__(self, d: int) -> None:
        super().__init__(d)
        self.width = self.degree = self.n_parameters = 1
        self.rate, self.times = d / 2, 1.0

    def squares(self, away: FloatArray) -> FloatArray:
        return row_squares(away)[:, None]

    def of_features(self, variance: FloatArray) -> FloatArray:
        return np.asarray(variance.mean(keepdims=True))


class Full(Covariance):
    """A matrix, as d x d numbers in a row."""

    name = "full"
    scatter = "matrix"
    rate = 0.5
    times = 1.0

    def __init__(self, d: int) -> None:
        super().__init__(d)
        self.width, self.degree = d * d, d
        self.n_parameters = d * (d + 1) // 2

    def shapes(self, shape: float) -> FloatArray:
        return np.asarray(shape - 0.5 * np.arange(self.d), dtype=np.float64)

    @property
    def least_shape(self) -> float:
        return self.d / 2

    def squares(self, away: FloatArray) -> FloatArray:
        return np.asarray(away[:, :, None] * away[:, None, :]).reshape(len(away), self.width)

    def log_size(self, scale: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.slogdet(self._matrix(scale))[1])

    def inverse(self, scale: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.inv(self._matrix(scale))).reshape(scale.shape)

    def distance(self, away: FloatArray, precision: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("ci,cij,cj->c", away, self._matrix(precision), away))

    def mean(self, values: FloatArray, precision: FloatArray) -> FloatArray:
        matrices = self._matrix(precision)
        pull = np.einsum("cij,cj->i", matrices, values)
        return np.asarray(np.linalg.solve(matrices.sum(axis=0), pull))

    def of_features(self, variance: FloatArray) -> FloatArray:
        return np.diag(variance).ravel()

    def at_least(self, scale: FloatArray, floor: FloatArray) -> FloatArray:
        # In units of the floor, no axis of the ellipsoid may be shorter than 1.
        root = np.linalg.cholesky(self._matrix(floor))
        unit = np.linalg.inv(root)
        values, vectors = np.linalg.eigh(unit @ self._matrix(scale) @ unit.T)
        axes = root @ vectors
        raised = (axes * np.maximum(values, 1)[..., None, :]) @ np.swapaxes(axes, -1, -2)
        enough = values.min(axis=-1, keepdims=True) >= 1
        return np.where(enough, scale, raised.reshape(scale.shape))

    def _matrix(self, scale: FloatArray) -> FloatArray:
        return scale.reshape(*scale.shape[:-1], self.d, self.d)


COVARIANCES: dict[str, type[Covariance]] = {form.name: form for form in (Diagonal, Spherical, Full)}
