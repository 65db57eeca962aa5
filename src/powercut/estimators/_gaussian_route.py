"""The way of Gaussian clusters, which `PowerLawClusters` tries first.

In few columns, Gaussian clusters are fitted to a sample, with diagonal and with full covariances,
and those of the shorter description are tested: they must pass as Gaussian
(`powercut.vectors.gaussianity`), and not be pieces of something else, as dense where they meet as
elsewhere (`powercut.graphs.borders`).

In more columns a covariance matrix needs more points than most clusters have, so only diagonal ones
are tried. Most data are no such clusters, so the sample is only sketched
(`powercut.vectors.gaussian_sketch`), for a small part of the time that neighbours take. The radii
of its points tell whether clusters are Gaussian (`powercut.vectors.column_gaussianity`). Densities
are not comparable in so many dimensions, but neighbours are: the nearest ones of most points must
be in the same cluster. Then all points are fitted, and their clusters are tested in the same way. A
single cluster is left to the neighbours, which see more in it. In still more columns a sketch takes
as long as all neighbours of some thousand points, so only more points are sketched than have their
neighbours searched exactly: those of a Gaussian cluster in many dimensions are all about as far
away, and no faster search finds the nearest.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from powercut._typing import LABEL, Labels, Random, Rows
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._vector_routes import Found, in_batches
from powercut.graphs.borders import Borders
from powercut.graphs.neighbor_index import LARGEST_EXACT
from powercut.partition import canonical_labels
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.objective import SearchResult, j_per_nat
from powercut.vectors.column_gaussianity import compare_columns_with_gaussian
from powercut.vectors.gaussian_fit import fit_gaussian
from powercut.vectors.gaussian_model import GaussianFit
from powercut.vectors.gaussian_sketch import sketch_gaussian
from powercut.vectors.gaussianity import compare_with_gaussian
from powercut.vectors.standardised import Standardised

# In more columns than this, covariances are diagonal: full ones, and their axes, need many points.
MOST_WITH_FULL = 20
# In more columns than this, few points are clustered by neighbours.
MOST_COLUMNS_OF_FEW = 100
# Points that are tested; the moments of more are no clearer.
SAMPLE = 2000
COVARIANCES = ("diagonal", "full")
# In many columns, clusters are too close to tell if a larger share of the points has one of its
# nearest neighbours in another.
MOST_WITH_OTHERS = 0.25
TIME_UP = " The time was up before another way could be taken."


def gaussian_route(
    X: Any,
    *,
    n_jobs: int,
    random: Random,
    reporter: ProgressReporter,
    constraints: Constraints | None = None,
) -> tuple[Found | None, str]:
    """Return Gaussian clusters, or None if they do not pass; and why.

    Parameters
    ----------
    X : ndarray or csr matrix of shape (n, d)
        The points, scaled.
    n_jobs : int
        Number of threads.
    random : numpy.random.Generator
        Source of randomness.
    reporter : ProgressReporter
        Reports progress, and may end the search early.
    constraints : Constraints, optional
        What is known of the clusters, which keep it.
    """
    if sp.issparse(X):
        return None, "A sparse matrix is clustered by its neighbours."
    n, d = X.shape
    if d > MOST_COLUMNS_OF_FEW and n <= LARGEST_EXACT:
        return None, (
            f"{n:,} points in {d} columns are clustered by their neighbours: Gaussians are tried "
            f"in up to {MOST_COLUMNS_OF_FEW} columns, or on more than {LARGEST_EXACT:,} points."
        )
    rows = np.arange(n) if n <= SAMPLE else np.sort(random.choice(n, SAMPLE, replace=False))
    sample = X if n <= SAMPLE else X[rows]
    options: dict[str, Any] = {"random": random, "reporter": reporter}
    many = d > MOST_WITH_FULL
    fits = []
    covariances = COVARIANCES[:1] if many else COVARIANCES
    for covariance in reporter.each(covariances, of=len(covariances)):
        if many:
            fit, standard = sketch_gaussian(sample, covariance=covariance, **options)
        else:
            fit, standard = fit_gaussian(sample, covariance=covariance, n_jobs=n_jobs, **options)
        fits.append((fit.description.nats, covariance, fit, standard))
    _, covariance, fit, standard = min(fits, key=lambda one: one[0])
    labels = canonical_labels(fit.found.labels)
    test = _are_gaussian_columns if many else _are_gaussian
    passed, verdict = test(sample, labels, random=random, n_jobs=n_jobs)
    why = f"{_named(labels, covariance, sampled=len(sample) < n)} {verdict}."
    if not passed:
        if not reporter.expired():
            return None, why
        why += TIME_UP
    if len(sample) == n and not many and constraints is None:
        return found_gaussians(X, fit, standard), why
    start = None
    if reporter.expired():  # the search of all points ends where it starts
        posterior = GaussianPosterior.of(fit, labels, standard)
        start = in_batches(lambda some: _closest(posterior, X[some]), n)
    options |= {"covariance": covariance, "labels": start, "n_jobs": n_jobs}
    if many or constraints is None:
        fit, standard = fit_gaussian(X, **options)
    if many and not reporter.expired():
        labels = canonical_labels(fit.found.labels)
        passed, verdict = test(sample, labels[rows], random=random, n_jobs=n_jobs)
        why = f"{_named(labels, covariance)} {verdict}."
        if not passed and not reporter.expired():
            return None, why
        why += "" if passed else TIME_UP
    if constraints is not None:  # the data alone decide which way is taken
        fit, standard = fit_gaussian(X, constraints=constraints, **options)
    return found_gaussians(X, fit, standard), why


def _named(labels: Labels, covariance: str, *, sampled: bool = False) -> str:
    """Return what was found, in words."""
    k = int(labels.max()) + 1
    clusters = f"{k} Gaussian cluster{'s' if k > 1 else ''} of {covariance} covariance"
    # All points may have more.
    return f"{clusters}, of a sample of {SAMPLE:,} points," if sampled else clusters


def found_gaussians(X: Rows, fit: GaussianFit, standard: Standardised) -> Found:
    """Return Gaussian clusters of points, and what is known of each point."""
    labels = canonical_labels(fit.found.labels)
    posterior = GaussianPosterior.of(fit, labels, standard)
    regulariser = fit.objective.regulariser
    return Found(
        SearchResult(labels, fit.found.objective, fit.found.path),
        regulariser,
        posterior,
        posterior.margins(fit.model.points) / j_per_nat(regulariser.tradeoff),
        in_batches(lambda rows: posterior.evaluate(X[rows], rows)[1], len(X)),
        posterior.evidence(),
    )


def _are_gaussian(
    X: npt.NDArray[np.floating], labels: Labels, *, random: Random, n_jobs: int
) -> tuple[bool, str]:
    """Return whether clusters pass as Gaussian, and are not pieces of something else; and why."""
    test = compare_with_gaussian(X, labels)
    if not test.passed:
        return False, f"did not pass as Gaussian: {test.reason}"
    borders = Borders.of(X, labels, random=random, n_threads=n_jobs)
    if borders.are_of_pieces:
        return False, (
            f"are pieces of something else: {borders.share:.0%} of the points are where they meet, "
            "and it is as dense there as elsewhere"
        )
    return True, f"passed as Gaussian: {test.reason}"


def _are_gaussian_columns(
    X: npt.NDArray[np.floating], labels: Labels, *, random: Random, n_jobs: int
) -> tuple[bool, str]:
    """Return whether clusters of many columns pass as Gaussian, and are apart; and why."""
    if not labels.any():
        return False, "may hide more, which neighbours would see"
    test = compare_columns_with_gaussian(X, labels)
    if not test.passed:
        return False, f"did not pass as Gaussian: {test.reason}"
    borders = Borders.of(X, labels, random=random, n_threads=n_jobs)
    if borders.share > MOST_WITH_OTHERS:
        return False, (
            f"are too close to each other: {borders.share:.0%} of the points have a near neighbour "
            "in another"
        )
    return True, f"passed as Gaussian: {test.reason}"


def _closest(posterior: GaussianPosterior, rows: npt.NDArray[np.floating]) -> Labels:
    """Return the cluster of largest posterior of rows that are no training points."""
    cost = posterior.costs(rows, np.full(len(rows), -1))
    closest: Labels = cost.argmin(axis=1).astype(LABEL)
    return closest
