"""The cost of a cluster of points: the scores ``kmeans`` and ``gaussian``.

Their C++ counterparts, in ``src/core/vectors/kmeans.hpp`` and ``gaussian_*.hpp``, compute the exact
change of J when a point joins or leaves a cluster; ``scores.hpp`` there states what each must have.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import log, pi

import numpy as np

from powercut import _core
from powercut._special import log_rising
from powercut._typing import BoolArray, FloatArray, Labels
from powercut.search.conflicts import Conflicts
from powercut.search.objective import Objective
from powercut.vectors.covariances import Covariance, Spherical
from powercut.vectors.points import Points


class VectorScore(ABC):
    """A cost that depends on the weight, the mean and the scatter of a cluster."""

    @property
    @abstractmethod
    def native(self) -> "_core._Gaussian | None":
        """The parameters, as native code takes them; None if there are none."""

    @property
    @abstractmethod
    def scatter(self) -> str:
        """The scatter that the score needs, as `Points.aggregate` names it."""

    @abstractmethod
    def cost(self, clusters: Points) -> FloatArray:
        """Return the cost of each cluster; clusters are given as points with scatter."""

    @abstractmethod
    def moves(
        self,
        points: Points,
        labels: Labels,
        k: int,
        prior: tuple[float, float, float],
        seed: int,
        cancel: _core.CancellationToken | None,
        negligible: float = 0.0,
        *,
        elsewhere: Points | None = None,
        visited: BoolArray | None = None,
        inertia: float = 0.0,
        conflicts: Conflicts | None = None,
    ) -> tuple[float, int, int]:
        """Move points while that lowers J; update `labels` in place.

        A pass in which less than a fraction `negligible` of the points moves is the last one. Only
        the `visited` points move, by default all, and only if J falls by more than `inertia`.
        Members of the clusters that are not among the points are given as `elsewhere`: one
        element per cluster, with its count and scatter. They do not move. No move joins points in
        `conflicts`; at the start, no cluster may hold them.

        Returns
        -------
        tuple of (float, int, int)
            Change of J (after minus before), number of moves, number of labels.
        """


PointsObjective = Objective[VectorScore]


@dataclass(frozen=True)
class KMeans(VectorScore):
    r"""Weighted sum of squares: :math:`f(c) = \sum_{i \in c} w_i \lVert x_i - \mu_c \rVert^2`."""

    d: int

    @property
    def native(self) -> None:
        """None: there are no parameters."""

    @property
    def scatter(self) -> str:
        """One number per cluster: the sum of squares over all features."""
        return Spherical.scatter

    def cost(self, clusters: Points) -> FloatArray:
        """Return the within-cluster sums of squares."""
        assert clusters.scatter is not None
        return clusters.scatter[:, 0]

    def moves(
        self,
        points: Points,
        labels: Labels,
        k: int,
        prior: tuple[float, float, float],
        seed: int,
        cancel: _core.CancellationToken | None,
        negligible: float = 0.0,
        *,
        elsewhere: Points | None = None,
        visited: BoolArray | None = None,
        inertia: float = 0.0,
        conflicts: Conflicts | None = None,
    ) -> tuple[float, int, int]:
        """Move points while that lowers J."""
        threads, others = points.n_threads, None if elsewhere is None else elsewhere.native
        return _core.kmeans_moves(
            points.native,
            labels,
            k,
            prior,
            negligible,
            threads,
            seed,
            cancel,
            others,
            visited,
            inertia,
            None if conflicts is None else conflicts.native,
        )


@dataclass(frozen=True)
class Gaussian(VectorScore):
    r"""Minus the log marginal likelihood of a Gaussian cluster, mean and covariance integrated out.

    The conjugate prior on the parameters of a cluster has its mean at `mean`, with the weight of
    `kappa` points, and its variance about `scale` / `shape`, with the weight of 2 `shape` points:
    a normal-gamma prior per feature (``diagonal``) or shared by all features (``spherical``), or
    a normal-inverse-Wishart prior (``full``). For a cluster of weight W, weighted mean
    :math:`\bar x` and scatter S, in each feature

    .. math::

        f = a_n \ln b_n - a \ln b - \ln \frac{\Gamma(a_n)}{\Gamma(a)}
            + \tfrac12 \ln \frac{\kappa_n}{\kappa} + \tfrac W2 \ln 2\pi

    with :math:`\kappa_n = \kappa + W`, :math:`a_n = a + W/2` and :math:`b_n = b + S/2 +
    \kappa W (\bar x - m)^2 / (2 \kappa_n)`. A point of weight w counts as w points.

    Attributes
    ----------
    form : Covariance
        The covariance structure.
    mean : ndarray of shape (d,)
        :math:`m`.
    kappa, shape : float
        :math:`\kappa` and :math:`a`.
    scale : ndarray of shape (form.width,)
        :math:`b`.

    Examples
    --------
    One point has a Student t-distribution:

    >>> import numpy as np
    >>> from scipy.stats import t
    >>> from powercut.vectors.covariances import Diagonal
    >>> from powercut.vectors.points import Points
    >>> from powercut.vectors.scores import Gaussian
    >>> score = Gaussian(Diagonal(1), np.zeros(1), kappa=1.0, shape=2.0, scale=np.ones(1))
    >>> point = Points(np.array([[0.5]]), scatter=np.zeros((1, 1)))
    >>> np.allclose(score.cost(point), -t.logpdf(0.5, df=4, scale=1.0))
    True
    """

    form: Covariance
    mean: FloatArray
    kappa: float
    shape: float
    scale: FloatArray

    @property
    def scatter(self) -> str:
        """The scatter of the covariance structure."""
        return self.form.scatter

    @property
    def native(self) -> "_core._Gaussian":
        """(covariance, mean, kappa, shape, scale), as the kernel takes it."""
        return self.form.name, self.mean, self.kappa, self.shape, self.scale

    def posterior_scale(self, clusters: Points) -> FloatArray:
        """Return :math:`b_n` of each cluster; shape (k, width)."""
        assert clusters.scatter is not None
        weight = clusters.weights[:, None]
        pull = 0.5 * self.kappa * weight / (self.kappa + weight)
        away = clusters.values - self.mean
        return self.scale + 0.5 * clusters.scatter + pull * self.form.squares(away)

    def weight_term(self, weight: FloatArray) -> FloatArray:
        """Return the part of f that depends only on the weight of a cluster."""
        arguments = self.form.shapes(self.shape)
        gammas = log_rising(arguments, self.form.rate * weight[:, None]).sum(axis=1)
        means = 0.5 * self.form.d * np.log1p(weight / self.kappa)
        return np.asarray(
            -self.form.times * gammas + means + 0.5 * self.form.d * weight * log(2 * pi)
        )

    def cost(self, clusters: Points) -> FloatArray:
        """Return minus the log marginal likelihood of each cluster."""
        return _core.gaussian_costs(clusters.native, self.native)

    def moves(
        self,
        points: Points,
        labels: Labels,
        k: int,
        prior: tuple[float, float, float],
        seed: int,
        cancel: _core.CancellationToken | None,
        negligible: float = 0.0,
        *,
        elsewhere: Points | None = None,
        visited: BoolArray | None = None,
        inertia: float = 0.0,
        conflicts: Conflicts | None = None,
    ) -> tuple[float, int, int]:
        """Move points while that lowers J."""
        threads, others = points.n_threads, None if elsewhere is None else elsewhere.native
        return _core.gaussian_moves(
            points.native,
            labels,
            k,
            prior,
            self.native,
            negligible,
            threads,
            seed,
            cancel,
            others,
            visited,
            inertia,
            None if conflicts is None else conflicts.native,
        )
