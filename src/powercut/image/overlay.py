"""overlay: draw segments on their image."""

from typing import Any

import numpy as np
import numpy.typing as npt
from skimage.util import img_as_float

from powercut.image.measures import LabelMap, edges
from powercut.image.segmentation import check_image

# Share of the segment's mean colour in its pixels.
TINT = 0.6


def overlay(image: Any, labels: LabelMap) -> npt.NDArray[np.float64]:
    """Draw segments on their image: each tinted in its mean colour, with white contours.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        As `segment` takes it.
    labels : ndarray of shape (height, width), int
        Segment of each pixel, from 0.

    Returns
    -------
    ndarray of shape (height, width, 3)
        RGB from 0 to 1, as ``matplotlib.pyplot.imshow`` takes it.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.image import overlay
    >>> labels = np.repeat([[0, 1]], 20, axis=0).repeat(10, axis=1)
    >>> shown = overlay(np.zeros((20, 20)), labels)
    >>> shown[0, 9], shown[0, 10]
    (array([1., 1., 1.]), array([0., 0., 0.]))
    """
    pixels = np.asarray(img_as_float(check_image(image)), dtype=np.float64)
    if np.shape(labels) != pixels.shape[:2]:
        raise ValueError(
            f"labels of shape {np.shape(labels)} do not fit an image of "
            f"{pixels.shape[0]} x {pixels.shape[1]} pixels; pass one label per pixel."
        )
    flat = np.asarray(labels).ravel()
    sums = [np.bincount(flat, channel.ravel()) for channel in np.moveaxis(pixels, -1, 0)]
    means = np.stack(sums, axis=-1) / np.maximum(np.bincount(flat), 1)[:, None]
    shown = TINT * means[labels] + (1 - TINT) * pixels
    shown[edges(labels)] = 1.0
    return shown
