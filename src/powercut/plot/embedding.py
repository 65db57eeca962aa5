"""Points in the plane, coloured by cluster."""

import numpy as np
import numpy.typing as npt
from matplotlib import patheffects
from matplotlib.axes import Axes

from powercut.partition import canonical_labels
from powercut.plot._axes import N_COLOURS, cluster_colours, count, make_axes

# Area of a dot, in square points, times the number of points; and its bounds.
INK, SMALLEST, LARGEST = 30_000.0, 0.3, 25.0


def embedding(X: npt.ArrayLike, labels: npt.ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw points in the plane, coloured by cluster; the largest clusters are numbered.

    The number is at the median of its cluster. Clusters beyond the number of colours are grey.
    Points are rasterised also in vector formats, so that files with a million points stay small.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Coordinates: an embedding such as UMAP's, or two features.
    labels : array-like of shape (n,)
        Cluster of each point.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from powercut import plot
    >>> from powercut.datasets import make_blobs
    >>> X, truth = make_blobs(500, n_features=2, random_state=0)
    >>> ax = plot.embedding(X, truth)
    """
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"X has shape {points.shape}; a plot needs two coordinates for each point: embed X "
            "first, or select two columns."
        )
    labels = canonical_labels(labels)
    if len(labels) != len(points):
        raise ValueError(f"{len(labels)} labels for {len(points)} points; pass one per point.")
    ax = make_axes(ax)
    k = int(labels.max(initial=-1)) + 1
    area = np.clip(INK / max(1, len(points)), SMALLEST, LARGEST)
    # In random order, so that no cluster hides another; grey points first, below all others.
    order = np.random.default_rng(0).permutation(len(points))
    order = order[np.argsort(labels[order] < N_COLOURS, kind="stable")]
    ax.scatter(
        points[order, 0],
        points[order, 1],
        s=area,
        c=cluster_colours(k)[labels[order]],
        linewidths=0,
        rasterized=True,
    )
    outline = [patheffects.withStroke(linewidth=2.5, foreground="white")]
    for c in range(min(k, N_COLOURS)):
        x, y = np.median(points[labels == c], axis=0)
        ax.text(
            x, y, str(c), ha="center", va="center", weight="bold", fontsize="small",
            path_effects=outline,
        )  # fmt: skip
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"{count(len(points), 'point')} in {count(k, 'cluster')}")
    return ax
