"""Superpixels: small regions that follow boundaries, and their adjacency."""

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter
from skimage.segmentation import watershed

from powercut.image.cues import Array

Indices = npt.NDArray[np.intp]

# A region is a sliver below this thickness, in distances between seeds; that of a square is 0.25.
THINNEST = 0.15


@dataclass(frozen=True)
class Regions:
    """A map of superpixels.

    Attributes
    ----------
    labels : ndarray of shape (height, width)
        Region of each pixel, from 0 to n - 1.
    areas : ndarray of shape (n,)
        Pixels of each region.
    one, other : ndarrays
        Pairs of regions that touch.
    strength : ndarray
        Mean strength of the boundary between them.
    length : ndarray
        Length of that boundary, in pixels.
    """

    labels: Indices
    areas: Indices
    one: Indices
    other: Indices
    strength: npt.NDArray[np.float64]
    length: Indices

    def __len__(self) -> int:
        return len(self.areas)

    @property
    def thickness(self) -> npt.NDArray[np.float64]:
        """Area over boundary length, or infinity for the largest; a square: a quarter side."""
        lengths = np.bincount(self.one, self.length, minlength=len(self))
        lengths += np.bincount(self.other, self.length, minlength=len(self))
        thickness = self.areas / np.maximum(lengths, 1)
        thickness[self.areas.argmax()] = np.inf
        return np.asarray(thickness)

    def means(self, layers: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
        """Return the mean of each layer of shape (m, height, width) in each region, (n, m)."""
        flat = self.labels.ravel()
        sums = [np.bincount(flat, layer.ravel(), minlength=len(self)) for layer in layers]
        return np.stack(sums, axis=1) / self.areas[:, None]


def find_regions(boundaries: Array, n_regions: int) -> Regions:
    """Return watershed regions of a boundary map, from at most about `n_regions` seeds.

    Seeds are local minima on a grid. A seed on a contour gives a sliver, which resembles no
    adjacent region; such seeds are removed, and the watershed is repeated.
    """
    smooth = gaussian_filter(boundaries, 1.0)
    step = max(2.0, float(np.sqrt(boundaries.size / n_regions)))
    seeds = _seeds(smooth, step)
    while True:
        flooded = watershed(smooth, seeds)
        labels = np.unique(flooded, return_inverse=True)[1].reshape(flooded.shape)
        regions = Regions(labels, np.bincount(labels.ravel()), *_contacts(labels, boundaries))
        slivers = np.flatnonzero(regions.thickness < THINNEST * step)
        if not len(slivers):
            return regions
        seeds[np.isin(labels, slivers)] = 0


def _seeds(landscape: Array, step: float) -> Indices:
    reach = int(0.4 * step)
    seeds = np.zeros(landscape.shape, np.intp)
    number = itertools.count(1)
    for y in np.arange(step / 2, landscape.shape[0], step).astype(int):
        for x in np.arange(step / 2, landscape.shape[1], step).astype(int):
            top, left = max(y - reach, 0), max(x - reach, 0)
            window = landscape[top : y + reach + 1, left : x + reach + 1]
            down, right = np.unravel_index(window.argmin(), window.shape)
            seeds[top + down, left + right] = next(number)
    return seeds


def _contacts(
    labels: Indices, boundaries: Array
) -> tuple[Indices, Indices, npt.NDArray[np.float64], Indices]:
    """Return pairs of adjacent regions, with mean strength and length of their boundary."""
    pairs, strengths = [], []
    for here, there in (
        ((slice(1, None), slice(None)), (slice(-1), slice(None))),
        ((slice(None), slice(1, None)), (slice(None), slice(-1))),
    ):
        differ = labels[here] != labels[there]
        a, b = labels[here][differ], labels[there][differ]
        pairs.append(np.minimum(a, b) * (labels.max() + 1) + np.maximum(a, b))
        strengths.append(np.maximum(boundaries[here], boundaries[there])[differ])
    pair, inverse, length = np.unique(
        np.concatenate(pairs), return_inverse=True, return_counts=True
    )
    strength = np.bincount(inverse, np.concatenate(strengths), minlength=len(pair)) / length
    one, other = np.divmod(pair, labels.max() + 1)
    return one, other, strength, length
