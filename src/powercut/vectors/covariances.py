r"""Three covariance structures of Gaussian clusters, and the sufficient statistics of each.

The scatter of a cluster is stored as one number per feature (``diagonal``), one number
(``spherical``) or a matrix (``full``), always in one row of `width` numbers. With
:math:`a_n = a + \rho W` for a cluster of weight W, all three have the marginal likelihood

.. math:: -\ln p = a_n \ln |B_n| - a \ln |B| + T(W), \qquad
          T = - m \sum_i \ln \frac{\Gamma(a_i + \rho W)}{\Gamma(a_i)}
              + \frac d2 \ln\Bigl(1 + \frac W\kappa\Bigr) + \frac{d W}2 \ln 2\pi

where :math:`|B|` is the product of the numbers (``diagonal``), the number itself
(``spherical``) or the determinant (``full``).
"""

from abc import ABC, abstractmethod

import numpy as np

from powercut import _core
from powercut._typing import FloatArray
from powercut.vectors.points import row_squares


class Covariance(ABC):
    """A covariance structure, for points of `d` features.

    Attributes
    ----------
    name : str
        Its name, for users and kernels.
    scatter : str
        The scatter that it needs, as `powercut.vectors.points.Points.aggregate` names it.
    width : int
        Numbers in the scatter of a cluster.
    rate : float
        Increase of the shape per unit of weight (rho above).
    times : float
        Multiplicity of each Gamma function of the shape (m above).
    degree : int
        ``|t B|`` is ``t ** degree |B|``.
    n_parameters : int
        Degrees of freedom of a scale.
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
        """The smallest shape: half a point, or more to keep all Gamma arguments positive."""
        return 0.5

    @abstractmethod
    def squares(self, away: FloatArray) -> FloatArray:
        """Return the squares (outer products) of each row; shape (n, width)."""

    @abstractmethod
    def log_size(self, scale: FloatArray) -> FloatArray:
        """Return ``ln |B|`` of each row."""

    def grown_log_sizes(
        self, scale: FloatArray, part: FloatArray, x: FloatArray, mean: FloatArray
    ) -> FloatArray:
        r"""Return :math:`\ln |B_c + p_c (x - m_c)(x - m_c)^T|` of each row of x and cluster c.

        `scale`, `part` and `mean` have a row for each cluster, the result a column.
        """
        grown = np.empty((len(x), len(mean)))
        for c in range(len(mean)):
            grown[:, c] = self._grown_log_size(scale[c], part[c], x - mean[c])
        return grown

    def _grown_log_size(self, scale: FloatArray, part: float, away: FloatArray) -> FloatArray:
        """Return it for one cluster, and points that are so far from its mean."""
        return self.log_size(scale + part * self.squares(away))

    @abstractmethod
    def inverse(self, scale: FloatArray) -> FloatArray:
        """Return the inverse of each row, stored in the same way."""

    @abstractmethod
    def of_features(self, variance: FloatArray) -> FloatArray:
        """Return the scale that has these variances of single features; shape (width,)."""

    def at_least(self, scale: FloatArray, floor: FloatArray) -> FloatArray:
        """Return the scale, raised to the floor where it is below it."""
        return np.maximum(scale, floor)


class Diagonal(Covariance):
    """Diagonal covariance: one variance per feature."""

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

    def grown_log_sizes(
        self, scale: FloatArray, part: FloatArray, x: FloatArray, mean: FloatArray
    ) -> FloatArray:
        rows = np.ascontiguousarray(x)
        grown = _core.log_growths(rows, mean, self.inverse(scale), part).reshape(len(x), len(mean))
        grown += self.log_size(scale)
        return grown

    def inverse(self, scale: FloatArray) -> FloatArray:
        return 1.0 / scale

    def of_features(self, variance: FloatArray) -> FloatArray:
        return variance


class Spherical(Diagonal):
    """Spherical covariance: one variance for all features."""

    name = "spherical"
    scatter = "total"

    def __init__(self, d: int) -> None:
        super().__init__(d)
        self.width = self.degree = self.n_parameters = 1
        self.rate, self.times = d / 2, 1.0

    def squares(self, away: FloatArray) -> FloatArray:
        return row_squares(away)[:, None]

    def grown_log_sizes(
        self, scale: FloatArray, part: FloatArray, x: FloatArray, mean: FloatArray
    ) -> FloatArray:
        return Covariance.grown_log_sizes(self, scale, part, x, mean)

    def of_features(self, variance: FloatArray) -> FloatArray:
        return np.asarray(variance.mean(keepdims=True))


class Full(Covariance):
    """Full covariance: a matrix, stored as a row of d x d numbers."""

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

    def _grown_log_size(self, scale: FloatArray, part: float, away: FloatArray) -> FloatArray:
        # By the matrix determinant lemma, ln |B| + ln(1 + p (x - m)^T B^-1 (x - m)).
        root = np.linalg.cholesky(self._matrix(scale))
        solved = np.linalg.solve(root, away.T)
        squares = np.einsum("ij,ij->j", solved, solved)
        return np.asarray(2 * np.log(np.diagonal(root)).sum() + np.log1p(part * squares))

    def inverse(self, scale: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.inv(self._matrix(scale))).reshape(scale.shape)

    def of_features(self, variance: FloatArray) -> FloatArray:
        return np.diag(variance).ravel()

    def at_least(self, scale: FloatArray, floor: FloatArray) -> FloatArray:
        try:
            np.linalg.cholesky(self._matrix(scale - floor))
        except np.linalg.LinAlgError:
            return self._raised(scale, floor)
        return scale

    def _raised(self, scale: FloatArray, floor: FloatArray) -> FloatArray:
        # Whitened by the floor, all eigenvalues must be at least 1.
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
