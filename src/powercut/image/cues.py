"""Local cues of an image: brightness, colour and texture, and their gradients.

The gradients are a fast version of those of Martin, Fowlkes and Malik (2004): at each pixel the
histograms of two neighbourhoods, on either side of a line through it, are compared. Here a
neighbourhood is a Gaussian instead of half a disc, so that each bin is blurred once for all
orientations.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter, uniform_filter
from scipy.special import expit
from skimage.color import rgb2lab
from sklearn.cluster import KMeans

Array = npt.NDArray[np.float32]

N_ORIENTATIONS = 8
N_TEXTONS = 16
# Bins of L, a and b, and the values of their first and last centre.
BINS = ((10, 0, 100), (13, -60, 60), (13, -60, 60))
# Standard deviations of the neighbourhoods, in pixels of the half image: a fine and a coarse one
# for each of L, a, b and texture. Their centres are OFFSET deviations from the line.
SCALES = ((1.5, 3.5), (2.5, 5.0), (2.5, 5.0), (3.5, 7.0))
OFFSET = 1.3
# Logistic regression of human boundaries on the square roots of the gradients, in the order of
# SCALES; from experiments/image_weights.py.
BOUNDARY_WEIGHTS = (3.67, -1.54, 1.36, 0.18, 1.4, 0.19, 1.34, 0.92)
BOUNDARY_INTERCEPT = -5.93


@dataclass(frozen=True)
class Cues:
    """Local cues of an image.

    Attributes
    ----------
    lab : ndarray of shape (height, width, 3)
        Brightness and colour.
    histograms : tuple of ndarrays of shape (bins, height // 2, width // 2)
        Share of each bin of L, a, b and of each texton, at each pixel of the half-size image.
    gradients : ndarray of shape (8, 8, height // 2, width // 2)
        Chi-squared distances between the two sides of a line, for each of `SCALES` and each
        orientation.
    """

    lab: Array
    histograms: tuple[Array, ...]
    gradients: Array

    def boundaries(self) -> Array:
        """Return the probability that a human draws a boundary, at each pixel of the image."""
        evidence = np.tensordot(np.array(BOUNDARY_WEIGHTS, np.float32), np.sqrt(self.gradients), 1)
        chance = expit(evidence.max(axis=0) + BOUNDARY_INTERCEPT)
        # Averaging with the next pixel removes the edges of the doubled 2 x 2 pixels.
        return np.asarray(uniform_filter(doubled(chance[None], self.lab.shape[:2])[0], 2))


def find_cues(image: npt.NDArray[np.generic]) -> Cues:
    """Return the cues of an RGB image, uint8 or from 0 to 1."""
    lab = rgb2lab(image).astype(np.float32)
    words = textons(lab[..., 0])
    small = halved(np.moveaxis(lab, -1, 0))
    histograms = (
        *(soft_bins(channel, *bins) for channel, bins in zip(small, BINS, strict=True)),
        halved((words == np.arange(N_TEXTONS)[:, None, None]).astype(np.float32)),
    )
    gradients = np.stack(
        [
            oriented_gradients(histogram, scale)
            for histogram, scales in zip(histograms, SCALES, strict=True)
            for scale in scales
        ]
    )
    return Cues(lab, histograms, gradients)


def halved(layers: Array) -> Array:
    """Return the means of 2 x 2 pixels in each layer; an odd last row or column is left out."""
    height, width = (side // 2 for side in layers.shape[1:])
    squares = layers[:, : 2 * height, : 2 * width].reshape(-1, height, 2, width, 2)
    return np.asarray(squares.mean(axis=(2, 4)))


def doubled(layers: Array, shape: tuple[int, ...]) -> Array:
    """Return layers of the half-size image at full size, each pixel repeated 2 x 2 times."""
    large = layers.repeat(2, axis=1).repeat(2, axis=2)
    missing = [(0, full - side) for full, side in zip(shape, large.shape[1:], strict=True)]
    return np.asarray(np.pad(large, [(0, 0), *missing], mode="edge"))


def soft_bins(channel: Array, n_bins: int, first: float, last: float) -> Array:
    """Return the soft histogram of a channel: each value is shared by its two nearest bins."""
    place = np.clip((channel - first) / (last - first), 0, 1) * (n_bins - 1)
    distance = np.abs(place - np.arange(n_bins)[:, None, None])
    return np.asarray(np.clip(1 - distance, 0, 1), dtype=np.float32)


def textons(brightness: Array) -> npt.NDArray[np.intp]:
    """Return the texton of each pixel.

    Textons are k-means clusters of filter responses: first and second derivatives along four
    directions, at two scales, with logarithmic contrast.
    """
    responses = []
    for scale in (1.0, 2.0):
        y, x, yy, xx, xy = (
            gaussian_filter(brightness, scale, order=order) * scale ** sum(order)
            for order in ((1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
        )
        for angle in np.arange(4) * np.pi / 4:
            c, s = np.cos(angle), np.sin(angle)
            responses += [np.abs(c * y + s * x), c * c * yy + s * s * xx + 2 * c * s * xy]
    vectors = np.stack(responses, axis=-1).reshape(-1, len(responses))
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors *= np.log1p(length / 2) / np.maximum(length, 1e-6)
    some = np.random.default_rng(0).choice(len(vectors), min(3000, len(vectors)), replace=False)
    distinct = min(N_TEXTONS, len(np.unique(vectors[some], axis=0)))
    centres = KMeans(distinct, n_init=1, max_iter=20, random_state=0).fit(vectors[some])
    words: npt.NDArray[np.intp] = centres.predict(vectors).reshape(brightness.shape)
    return words


def oriented_gradients(histogram: Array, scale: float) -> Array:
    """Return chi-squared distances between both sides of a line, for each orientation."""
    blurred = np.stack(
        [gaussian_filter(layer, scale, truncate=2.5, mode="nearest") for layer in histogram]
    )
    margin = int(np.ceil(OFFSET * scale))
    padded = np.pad(blurred, ((0, 0), (margin, margin), (margin, margin)), mode="edge")
    height, width = histogram.shape[1:]

    def moved(y: int, x: int) -> Array:
        return padded[:, margin + y : margin + y + height, margin + x : margin + x + width]

    gradients = np.empty((N_ORIENTATIONS, height, width), np.float32)
    for orientation, angle in enumerate(np.arange(N_ORIENTATIONS) * np.pi / N_ORIENTATIONS):
        y, x = round(np.sin(angle) * OFFSET * scale), round(np.cos(angle) * OFFSET * scale)
        one, other = moved(y, x), moved(-y, -x)
        gradients[orientation] = ((one - other) ** 2 / (one + other + 1e-4)).sum(axis=0) / 2
    return gradients
