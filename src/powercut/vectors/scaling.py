"""Whether columns are scaled before distances are computed, and by what.

A distance adds up columns, so they must have one unit. Columns of a table often have several:
metres, years, euros. Coordinates, pixels, principal components and embeddings have one, and scaling
them would blow up columns of noise. The first of these rules that applies decides:

1. A sparse matrix is not scaled: it has counts, or frequencies.
2. One column, or columns that are all constant, need no scaling.
3. Rows of equal length are directions, such as embeddings or normalised documents: not scaled.
4. Columns that are uncorrelated, and in the order of their variance, are principal components: not
   scaled.
5. Columns of one range are not scaled (pixels, shares, ratings, coordinates): at least three
   quarters of them have a range of at least a quarter of that of all values together.
6. Columns with like spreads, up to a factor of ten, are not scaled: clusters that lie apart in one
   column make it as wide as that.
7. Other columns have units, and are divided by their standard deviation. Where the tails are heavy,
   so that a few values make up the standard deviation, it is the interquartile range that
   is taken, in units of a standard deviation. It is 0 for a column most of whose values are equal;
   such a column, and that of a few whole numbers, keep the standard deviation.

Constant columns never count.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from powercut._typing import FloatArray
from powercut._utils import slices
from powercut.vectors.points import ROWS_AT_ONCE, mean_and_variance, row_squares, varies

# Rows are of equal length if the standard deviation of their lengths is below this share of that
# of the points, and columns are uncorrelated if all correlations are below it.
EQUAL = 1e-3
# Least share of the range of all values that three quarters of the columns must have.
ONE_RANGE = 0.25
# Greatest ratio of the spreads of two columns that are alike.
LIKE_SPREADS = 10.0
# Tails are heavy if the standard deviation is more than this times that of a Gaussian with the same
# interquartile range.
HEAVY = 2.0
# Interquartile range of a Gaussian of variance 1.
QUARTILES = 1.3489795003921634
# Correlations of more columns than this are not computed.
MOST_COLUMNS = 4096
SCALES = ("auto", "columns", "none")


@dataclass(frozen=True)
class Scaling:
    """What columns are divided by, and why.

    Attributes
    ----------
    scale : ndarray of shape (d,)
        The divisor of each column; all 1 if columns are not scaled.
    why : str
        The reason, as a sentence.
    """

    scale: FloatArray
    why: str

    @property
    def is_scaled(self) -> bool:
        """Whether any column changes."""
        return bool((self.scale != 1).any())

    def __call__(self, X: Any) -> Any:
        """Return the scaled rows, of the same type; X itself if nothing changes."""
        if not self.is_scaled:
            return X
        if sp.issparse(X):
            return sp.csr_array(X @ sp.diags_array((1 / self.scale).astype(X.dtype)))
        scaled = np.empty_like(X)
        for rows in slices(len(X), ROWS_AT_ONCE):
            scaled[rows] = X[rows] / self.scale
        return scaled


def choose_scaling(X: Any, how: str = "auto") -> Scaling:
    """Decide whether to scale columns, and by what.

    Parameters
    ----------
    X : ndarray or csr matrix of shape (n, d)
        The points.
    how : {"auto", "columns", "none"}
        ``"columns"`` scales and ``"none"`` does not, whatever the columns are like.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.vectors.scaling import choose_scaling
    >>> random = np.random.default_rng(0)
    >>> people = random.normal([1.7, 40.0], [0.1, 20.0], size=(500, 2))  # metres, years
    >>> choose_scaling(people).scale.round(1)
    array([ 0.1, 19.3])
    >>> choose_scaling(random.uniform(size=(500, 2))).why
    'Columns are not scaled: they share one range.'
    """
    d = X.shape[1]
    if how == "none":
        return Scaling(np.ones(d), "Columns are not scaled: scale='none' was set.")
    if how == "columns":
        return Scaling(_spreads(X), "Columns are scaled: scale='columns' was set.")
    reason = _one_unit(X)
    if reason is not None:
        return Scaling(np.ones(d), f"Columns are not scaled: {reason}.")
    return Scaling(_spreads(X), "Columns are scaled: their spreads and ranges differ, as units do.")


def _one_unit(X: Any) -> str | None:
    """Return why columns have one unit, or None if they do not."""
    if sp.issparse(X):
        return "the matrix is sparse, of counts or frequencies"
    moving = np.flatnonzero(varies(X))
    if len(moving) < 2:
        return "fewer than two of them vary"
    variance = mean_and_variance(X)[1][moving]
    length = np.sqrt(row_squares(X[:, moving]))
    if length.std() <= EQUAL * np.sqrt(variance.sum()):
        return "rows have equal lengths, as embeddings and normalised documents have"
    if _are_components(X[:, moving], variance):
        return "they are principal components"
    low, high = X.min(axis=0)[moving], X.max(axis=0)[moving]
    most = np.quantile(high - low, 0.25, method="lower")
    if most >= ONE_RANGE * (high.max() - low.min()):
        return "they share one range"
    if variance.max() <= LIKE_SPREADS**2 * variance.min():
        return "they have like spreads"
    return None


def _are_components(X: npt.NDArray[np.floating], variance: FloatArray) -> bool:
    """Return whether columns are uncorrelated, and in the order of their variance."""
    n, d = X.shape
    if not 2 < d <= MOST_COLUMNS or n <= d or (np.diff(variance) > EQUAL * variance[:-1]).any():
        return False
    products = np.zeros((d, d))
    mean, deviation = X.mean(axis=0, dtype=np.float64), np.sqrt(variance)
    for rows in slices(n, ROWS_AT_ONCE):
        standard = (X[rows] - mean) / deviation
        products += standard.T @ standard
    np.fill_diagonal(products, 0.0)
    return bool(np.abs(products).max() <= EQUAL * n)


def _spreads(X: Any) -> FloatArray:
    """Return the spread of each column, 1 for a constant one."""
    if sp.issparse(X):
        from sklearn.utils.sparsefuncs import mean_variance_axis

        deviation = np.sqrt(mean_variance_axis(X, axis=0)[1].astype(np.float64))
        return np.where(deviation > 0, deviation, 1.0)
    deviation = np.where(varies(X), np.sqrt(mean_and_variance(X)[1]), 0.0)
    lower, upper = np.quantile(X, (0.25, 0.75), axis=0)
    middle = (upper - lower).astype(np.float64) / QUARTILES
    heavy = (middle > 0) & (deviation > HEAVY * middle)
    spread = np.where(heavy, middle, deviation)
    return np.where(spread > 0, spread, 1.0)
