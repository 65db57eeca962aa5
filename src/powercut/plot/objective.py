"""The objective J over a search."""

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from powercut.plot._axes import BLUE, make_axes, tidy


def objective_path(path: npt.ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw J at the start and after each round of a search.

    Parameters
    ----------
    path : array-like
        ``objective_path_`` of a fitted estimator.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from powercut import PowerLawMeans, plot
    >>> from powercut.datasets import make_blobs
    >>> X, _ = make_blobs(300, random_state=0)
    >>> ax = plot.objective_path(PowerLawMeans(random_state=0).fit(X).objective_path_)
    >>> ax.get_ylabel()
    'J'
    """
    values = np.asarray(path, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"path must be a list of values of J, got shape {values.shape}.")
    ax = make_axes(ax)
    ax.plot(np.arange(len(values)), values, ".-", color=BLUE)
    ax.axhline(values[-1], color=BLUE, linewidth=0.8, linestyle=":")
    ax.set(xlabel="round", ylabel="J", title=f"J ends at {values[-1]:,.6g}")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    tidy(ax)
    return ax
