"""How a segmentation agrees with those of several people: the measures of BSDS500.

All but the boundaries come from tables of common pixels: one row a segment, one column a segment
of a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt
from scipy.special import xlogy

LabelMap = npt.NDArray[np.integer]
Table = npt.NDArray[np.float64]

# How far a boundary may be off, in diagonals of the image: Berkeley's tolerance.
TOLERANCE = 0.0075


@dataclass(frozen=True)
class BoundaryMatches:
    """Numbers of boundary pixels, which may be added up over images.

    Attributes
    ----------
    right, drawn : int
        Pixels of our boundaries that are near one of a person, and all of them.
    found, human : int
        Pixels of people's boundaries that are near one of ours, and all of them, over people.
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
    """How one segmentation agrees with people, on average over them.

    Attributes
    ----------
    covering : float
        Overlap (intersection over union) of each human segment with the segment that covers it
        best, weighted by area.
    rand : float
        Probabilistic Rand index: share of pairs of pixels that both treat alike.
    information : float
        Variation of information, in bits; less is better.
    boundaries : BoundaryMatches
    """

    covering: float
    rand: float
    information: float
    boundaries: BoundaryMatches


class People:
    """Segmentations of one image by several people, ready to compare others with.

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
        """Return how a segmentation agrees with these people."""
        tables = [common_pixels(labels, human) for human in self.segmentations]
        return Agreement(
            float(np.mean([covering(table) for table in tables])),
            float(np.mean([rand_index(table) for table in tables])),
            float(np.mean([variation_of_information(table) for table in tables])),
            self.match_boundaries(labels),
        )

    def match_boundaries(self, labels: LabelMap) -> BoundaryMatches:
        """Count boundary pixels that are near a boundary of the other side.

        Unlike Berkeley's, pixels are not paired off one to one, so figures are a little higher
        than theirs would be; they are so for every method.
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
    """Return how many pixels each segment has in common with each segment of a person."""
    rows, columns = int(labels.max()) + 1, int(human.max()) + 1
    pairs = labels.astype(np.intp).ravel() * columns + human.ravel()
    return np.bincount(pairs, minlength=rows * columns).reshape(rows, columns).astype(np.float64)


def covering(table: Table) -> float:
    """Return how well the rows cover the columns: their best overlaps, by area."""
    area = table.sum(axis=0)
    union = table.sum(axis=1, keepdims=True) + area - table
    overlap = np.divide(table, union, out=np.zeros_like(table), where=union > 0)
    return float(overlap.max(axis=0) @ area / area.sum())


def rand_index(table: Table) -> float:
    """Return the share of pairs of pixels that are together, or apart, in both."""
    n = table.sum()
    apart_in_one = (table.sum(axis=0) ** 2).sum() + (table.sum(axis=1) ** 2).sum()
    return float(1 - (apart_in_one - 2 * (table**2).sum()) / (n * (n - 1)))


def variation_of_information(table: Table) -> float:
    """Return what each of two partitions tells that the other does not, in bits."""
    n = table.sum()

    def entropy(counts: Table) -> float:
        return -float(xlogy(counts / n, counts / n).sum() / np.log(2))

    return 2 * entropy(table) - entropy(table.sum(axis=0)) - entropy(table.sum(axis=1))


def edges(labels: LabelMap) -> npt.NDArray[np.bool_]:
    """Return boundaries one pixel wide: where the next pixel, right or below, differs."""
    thin = np.zeros(labels.shape, dtype=bool)
    thin[:-1] |= labels[:-1] != labels[1:]
    thin[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    return thin


def near(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which pixels are within `TOLERANCE` of those of a mask."""
    if not mask.any():
        return mask
    return np.asarray(distance_transform_edt(~mask) <= TOLERANCE * np.hypot(*mask.shape))
