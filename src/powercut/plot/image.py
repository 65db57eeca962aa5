"""Clusters of pixels, drawn over the image."""

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from powercut.plot._axes import count, make_axes


def image(image: npt.ArrayLike, labels: npt.ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw an image with the borders of its clusters, in white on black to be visible anywhere.

    Parameters
    ----------
    image : array-like of shape (height, width), (height, width, 3) or (height, width, 4)
        Grey values, or colours as matplotlib takes them.
    labels : array-like of shape (height, width)
        Cluster of each pixel.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import plot
    >>> picture = np.zeros((20, 30))
    >>> picture[5:15, 10:20] = 1
    >>> ax = plot.image(picture, picture > 0.5)
    >>> ax.get_title()
    '2 clusters'
    """
    pixels, regions = np.asarray(image), np.asarray(labels)
    if pixels.ndim not in (2, 3) or regions.shape != pixels.shape[:2]:
        raise ValueError(
            f"labels have shape {regions.shape} and the image {pixels.shape}; a label for each "
            "pixel is needed, in the shape of the image: labels.reshape(image.shape[:2])."
        )
    ax = make_axes(ax)
    ax.imshow(pixels, cmap="gray", interpolation="nearest")
    borders = _borders(regions)
    for colour, width in (("black", 2.0), ("white", 0.8)):
        ax.add_collection(LineCollection(list(borders), colors=colour, linewidths=width))
    k = len(np.unique(regions))
    ax.set(xticks=[], yticks=[], title=count(k, "cluster"))
    return ax


def _borders(regions: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Return the lines between pixels of different regions, of shape (n, 2, 2) as (x, y)."""
    row, column = np.nonzero(regions[:, 1:] != regions[:, :-1])
    upright = np.stack([[column + 0.5, row - 0.5], [column + 0.5, row + 0.5]])
    row, column = np.nonzero(regions[1:] != regions[:-1])
    level = np.stack([[column - 0.5, row + 0.5], [column + 0.5, row + 0.5]])
    return np.concatenate([upright, level], axis=2).transpose(2, 0, 1)
