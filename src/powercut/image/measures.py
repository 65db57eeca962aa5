"""Agreement of a segmentation with those of several people: the measures of BSDS500.

All but the boundary measure are computed from contingency tables of pixels: one row per segment,
one column per human segment.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt
from scipy.special import xlogy

LabelMap = npt.NDArray[np.integer]
Table = npt.NDArray[np.float64]

# Largest distance of matching boundaries, in diagonals of the image, as in the Berkeley benchmark.
TOLERANCE = 0.0075


@dataclass(frozen=True)
class BoundaryMatches:
    """Numbers of boundary pixels, which can be summed over images.

    Attributes
    ----------
    right, drawn : int
        Boundary pixels of the segmentation: those near a human boundary, and all.
    found, human : int
        Human boundary pixels, summed over people: those near a boundary of the segmentation,
        and all.
    """

    right: int
    drawn: int
    found: int
    human: int

    def __add__(self, other: "BoundaryMatches") -> "BoundaryMatches":
        return BoundaryMatches(
            self.right + other.right,
            self.drawn + other.drawn,
            self.found + other.found,
            self.human + other.human,
        )

    @property
    def f_measure(self) -> float:
        """Harmonic mean of precision, right / drawn, and recall, found / human."""
        if not self.right or not self.found:
            return 0.0
        return 2 / (self.drawn / self.right + self.human / self.found)


@dataclass(frozen=True)
class Agreement:
    """Agreement of a segmentation with people, averaged over people.

    Attributes
    ----------
    covering : float
        Largest overlap (intersection over union) of each human segment with a segment, weighted
        by area.
    rand : float
        Probabilistic Rand index: share of pairs of pixels that are together in both
        segmentations, or in neither.
    information : float
        Variation of information, in bits; lower is better.
    boundaries : BoundaryMatches
    """

    covering: float
    rand: float
    information: float
    boundaries: BoundaryMatches


class People:
    """Segmentations of one image by several people, to compare other segmentations with.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.image.measures import People
    >>> halves = np.repeat([[0, 0, 1, 1]], 4, axis=0)
    >>> People([halves]).compare(np.zeros_like(halves)).covering
    0.5
    """

    def __init__(self, segmentations: Sequence[LabelMap]) -> None:
        self.segmentations = segmentations
        self._edges = [edges(human) for human in segmentations]
        self._near = near(np.logical_or.reduce(self._edges))

    def compare(self, labels: LabelMap) -> Agreement:
        """Return the agreement of a segmentation with these people."""
        tables = [common_pixels(labels, human) for human in self.segmentations]
        return Agreement(
            float(np.mean([covering(table) for table in tables])),
            float(np.mean([rand_index(table) for table in tables])),
            float(np.mean([variation_of_information(table) for table in tables])),
            self.match_boundaries(labels),
        )

    def match_boundaries(self, labels: LabelMap) -> BoundaryMatches:
        """Count boundary pixels that are near a boundary of the other segmentations.

        Unlike in the Berkeley benchmark, pixels are not matched one to one, so the values are a
        little higher, for every method.
        """
        drawn = edges(labels)
        near_drawn = near(drawn)
        return BoundaryMatches(
            right=int((drawn & self._near).sum()),
            drawn=int(drawn.sum()),
            found=sum(int((human & near_drawn).sum()) for human in self._edges),
            human=sum(int(human.sum()) for human in self._edges),
        )


def common_pixels(labels: LabelMap, human: LabelMap) -> Table:
    """Return the contingency table of a segmentation and a human segmentation."""
    rows, columns = int(labels.max()) + 1, int(human.max()) + 1
    pairs = labels.astype(np.intp).ravel() * columns + human.ravel()
    return np.bincount(pairs, minlength=rows * columns).reshape(rows, columns).astype(np.float64)


def covering(table: Table) -> float:
    """Return the covering of the columns by the rows: the best overlaps, weighted by area."""
    area = table.sum(axis=0)
    union = table.sum(axis=1, keepdims=True) + area - table
    overlap = np.divide(table, union, out=np.zeros_like(table), where=union > 0)
    return float(overlap.max(axis=0) @ area / area.sum())


def rand_index(table: Table) -> float:
    """Return the share of pairs of pixels that are together in both, or apart in both."""
    n = table.sum()
    apart_in_one = (table.sum(axis=0) ** 2).sum() + (table.sum(axis=1) ** 2).sum()
    return float(1 - (apart_in_one - 2 * (table**2).sum()) / (n * (n - 1)))


def variation_of_information(table: Table) -> float:
    """Return the variation of information of two partitions, in bits."""
    n = table.sum()

    def entropy(counts: Table) -> float:
        return -float(xlogy(counts / n, counts / n).sum() / np.log(2))

    return 2 * entropy(table) - entropy(table.sum(axis=0)) - entropy(table.sum(axis=1))


def edges(labels: LabelMap) -> npt.NDArray[np.bool_]:
    """Return one-pixel-wide boundaries: pixels whose right or lower neighbour differs."""
    thin = np.zeros(labels.shape, dtype=bool)
    thin[:-1] |= labels[:-1] != labels[1:]
    thin[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    return thin


def near(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the pixels within `TOLERANCE` of a mask."""
    if not mask.any():
        return mask
    return np.asarray(distance_transform_edt(~mask) <= TOLERANCE * np.hypot(*mask.shape))
