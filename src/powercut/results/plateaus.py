r"""Partitions over a range of tradeoffs, and the scales at which they persist.

The tradeoff :math:`\lambda` is the weight of the size prior against the score. It sets the scale
of the partition: the larger it is, the fewer clusters there are. A partition that persists over
a long range of tradeoffs is structure of the data; one that appears at a single tradeoff is an
artefact of that choice.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import FloatArray, IntArray, Labels
from powercut.partition import canonical_labels
from powercut.results.comparison import agreement, coarsened, is_nested


@dataclass(frozen=True, eq=False)
class Plateau:
    """A range of tradeoffs over which the partition persists, nearly unchanged.

    Attributes
    ----------
    first, last : float
        The smallest and the largest tradeoff of the plateau.
    n_clusters : int
        Number of clusters of `labels`.
    persistence : float
        Length of the plateau on a logarithmic scale: ``ln(last / first)`` plus half a step
        of the path on each side.
    labels : ndarray of shape (n,), int32
        The partition in the middle of the plateau.
    """

    first: float
    last: float
    n_clusters: int
    persistence: float
    labels: Labels = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class TradeoffPath:
    """Partitions over a range of tradeoffs; see `powercut.tradeoff_path`.

    Attributes
    ----------
    tradeoffs : ndarray of shape (n_tradeoffs,)
        Increasing.
    labels : ndarray of shape (n_tradeoffs, n), int32
        The partition at each tradeoff; cluster 0 is the largest, ties by smallest member.
    objectives : ndarray of shape (n_tradeoffs,)
        J of each partition at its tradeoff.
    description_lengths : ndarray of shape (n_tradeoffs,)
        Description length of the data given each partition, in nats, independent of the
        tradeoff; NaN if the score defines none.
    n_clusters : ndarray of shape (n_tradeoffs,)
        Number of clusters of each partition.
    agreement : ndarray of shape (n_tradeoffs - 1,)
        Adjusted mutual information of each partition with the next coarser one; see
        `powercut.results.comparison.agreement`.
    nested : ndarray of shape (n_tradeoffs - 1,), bool
        Whether every cluster of a partition lies inside one of the next coarser one.

    Examples
    --------
    >>> from powercut import TradeoffPath
    >>> three, two = [0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 1, 1]
    >>> objectives, nats = [30.0, 33.0, 36.0], [40.0, 40.0, 41.0]
    >>> path = TradeoffPath.of([1.0, 2.0, 4.0], [three, three, two], objectives, nats)
    >>> path
    3 partitions of 7 rows
    tradeoff  clusters  largest   nats  agreement  nested
        1.00         3        3  40.00      1.000     yes
        2.00         3        3  40.00      0.615     yes
        4.00         2        5  41.00
    >>> [(found.n_clusters, found.first, found.last) for found in path.plateaus()]
    [(3, 1.0, 2.0), (2, 4.0, 4.0)]
    """

    tradeoffs: FloatArray
    labels: Labels
    objectives: FloatArray
    description_lengths: FloatArray
    n_clusters: IntArray
    agreement: FloatArray
    nested: npt.NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        tradeoffs: Sequence[float],
        labels: Iterable[npt.ArrayLike],
        objectives: Sequence[float],
        description_lengths: Sequence[float],
    ) -> "TradeoffPath":
        """Make a path of partitions, the finest first, and compare neighbouring ones."""
        rows = np.stack([canonical_labels(row) for row in labels])
        steps = list(pairwise(rows))
        return cls(
            tradeoffs=np.asarray(tradeoffs, dtype=np.float64),
            labels=rows,
            objectives=np.asarray(objectives, dtype=np.float64),
            description_lengths=np.asarray(description_lengths, dtype=np.float64),
            n_clusters=rows.max(axis=1, initial=-1).astype(np.int64) + 1,
            agreement=np.array([agreement(*step) for step in steps], dtype=np.float64),
            nested=np.array([is_nested(*step) for step in steps], dtype=np.bool_),
        )

    def __len__(self) -> int:
        return len(self.tradeoffs)

    @property
    def sizes(self) -> list[IntArray]:
        """Sizes of the clusters of each partition, the largest first."""
        return [np.bincount(row) for row in self.labels]

    def plateaus(self, *, agreement: float = 0.95) -> list[Plateau]:
        """Return the plateaus of the path, the most persistent first.

        From small to large tradeoffs, a partition joins the plateau of its predecessor
        if it agrees with the predecessor and with the first partition of the plateau; the
        second condition bounds the drift by many small changes. Plateaus at the ends of the
        path may extend beyond it; there the half step is that of the nearest step.

        Parameters
        ----------
        agreement : float, default=0.95
            Smallest adjusted mutual information at which two partitions agree.
        """
        if not 0 < agreement <= 1:
            raise ValueError(f"agreement must be above 0 and at most 1, got {agreement}.")
        if len(self) == 0:
            return []
        starts = [0]
        for at in range(1, len(self)):
            if not self._agree(at - 1, at, agreement) or not self._agree(starts[-1], at, agreement):
                starts.append(at)
        found = [
            self._plateau(start, end - 1)
            for start, end in zip(starts, [*starts[1:], len(self)], strict=True)
        ]
        return sorted(found, key=lambda plateau: -plateau.persistence)

    def nested_labels(self) -> Labels:
        """Return the path as a hierarchy: every partition refines the next coarser one.

        Partitions of a path are found separately, and need not be nested (see `nested`).
        Here, from the finest partition on, each cluster is assigned unsplit to the cluster of
        the next coarser partition that holds most of its members; ties go to the smallest
        label. In the result clusters only merge, as in a dendrogram. Where the path is nested
        already, the labels are those of the path.

        Returns
        -------
        ndarray of shape (n_tradeoffs, n), int32

        Examples
        --------
        >>> import numpy as np
        >>> from powercut import TradeoffPath
        >>> labels = np.array([[0, 0, 0, 1, 1, 2], [1, 0, 0, 0, 0, 1]])
        >>> path = TradeoffPath.of([1.0, 2.0], labels, [3.0, 4.0], [3.0, 4.0])
        >>> path.nested
        array([False])
        >>> path.nested_labels()
        array([[0, 0, 0, 1, 1, 2],
               [0, 0, 0, 0, 0, 1]], dtype=int32)
        """
        rows = self.labels.copy()
        for fine, coarse in pairwise(rows):
            coarse[:] = coarsened(fine, coarse)
        return rows

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per tradeoff.

        Columns: ``tradeoff``, ``n_clusters``, ``largest`` (size of the largest cluster),
        ``objective``, ``description_length``, ``agreement`` with the next row, and whether the
        partition is ``nested`` in that of the next row. The last two are missing in the last
        row.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas, which is not installed; pip install pandas."
            ) from error
        missing = [None] * min(1, len(self))
        return pd.DataFrame(
            {
                "tradeoff": self.tradeoffs,
                "n_clusters": self.n_clusters,
                "largest": self._largest(),
                "objective": self.objectives,
                "description_length": self.description_lengths,
                "agreement": pd.array([*self.agreement, *missing], dtype="Float64"),
                "nested": pd.array([*self.nested, *missing], dtype="boolean"),
            }
        )

    def __repr__(self) -> str:
        nats = self.description_lengths
        without = bool(np.isnan(nats).all())
        columns = {
            "tradeoff": [_number(value) for value in self.tradeoffs],
            "clusters": [f"{k}" for k in self.n_clusters],
            "largest": [f"{size}" for size in self._largest()],
            "J" if without else "nats": [
                _number(x) for x in (self.objectives if without else nats)
            ],
            "agreement": [*(f"{value:.3f}" for value in self.agreement), ""],
            "nested": [*("yes" if value else "no" for value in self.nested), ""],
        }
        widths = [max(map(len, (name, *cells))) for name, cells in columns.items()]
        lines = [tuple(columns), *zip(*columns.values(), strict=True)]
        table = [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([f"{len(self)} partitions of {self.labels.shape[1]} rows", *table])

    def _largest(self) -> list[int]:
        return [int(sizes.max(initial=0)) for sizes in self.sizes]

    def _agree(self, fine: int, coarse: int, least: float) -> bool:
        """Return whether two partitions agree; neighbours have been compared already."""
        if coarse == fine + 1:
            return bool(self.agreement[fine] >= least)
        return agreement(self.labels[fine], self.labels[coarse]) >= least

    def _plateau(self, start: int, end: int) -> Plateau:
        middle = (start + end) // 2
        return Plateau(
            first=float(self.tradeoffs[start]),
            last=float(self.tradeoffs[end]),
            n_clusters=int(self.n_clusters[middle]),
            persistence=self._persistence(start, end),
            labels=self.labels[middle],
        )

    def _persistence(self, start: int, end: int) -> float:
        if len(self) == 1:
            return 0.0
        logs = np.log(self.tradeoffs)
        steps = np.diff(logs)
        steps = np.concatenate([steps[:1], steps, steps[-1:]])
        return float(logs[end] - logs[start] + 0.5 * (steps[start] + steps[end + 1]))


def _number(value: float) -> str:
    """Format a number: two decimals from 1 on, three significant digits below."""
    return f"{value:,.2f}" if abs(value) >= 1 else f"{value:.3g}"
