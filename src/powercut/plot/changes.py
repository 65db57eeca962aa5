"""Clusters through time: their sizes at each step, and the members that pass between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.patheffects import withStroke

from powercut._typing import FloatArray, IntArray, Positions
from powercut.estimators.matching import positions_of_nodes
from powercut.plot._axes import GREY, N_COLOURS, as_text, cluster_colours, count, make_axes

# Width of a cluster at a step, where steps are 1 apart.
WIDTH = 0.14
# Space between two clusters, as a share of the largest number of nodes, so that names have room.
GAP = 0.022
# Points of each curve of a flow.
SMOOTH = 40
# Opacity of members that stay in their cluster, and of those that change it.
STAYING, MOVING = 0.4, 0.75


def changes(
    ids: Sequence[npt.ArrayLike],
    *,
    nodes: Sequence[npt.ArrayLike] | None = None,
    steps: Sequence[Any] | None = None,
    names: Mapping[int, str] | None = None,
    n_largest: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """Draw clusters through time, and the members that pass from one to another.

    Each step is a column of bars, one for each cluster, whose heights are numbers of nodes. Bands
    between two columns are the members that stay, and those that change their cluster. Where no
    band ends at a bar, nodes have come; where none begins, they have gone. Clusters that exchange
    members are near each other.

    Parameters
    ----------
    ids : sequence of array-like of int
        For each step, the lasting id of the cluster of each node: ``cluster_ids_[labels_]`` after
        an update of `PowerLawCut`, or ``ids`` of `powercut.match`.
    nodes : sequence of array-like of int or str, optional
        For each step, the names of these nodes: needed if nodes come and go.
    steps : sequence, optional
        Names of the steps. Default: 0, 1, 2, ...
    names : mapping of int to str, optional
        Names of some clusters, by id. Default: their ids.
    n_largest : int, default=20
        Number of clusters to draw, those that have the most nodes at any step. All others are
        grey, and lie at the bottom.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from powercut import plot
    >>> ax = plot.changes([[0, 0, 0, 1, 1], [0, 0, 2, 1, 1], [0, 0, 1, 1, 1]])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['0', '1', '2']
    """
    if n_largest < 1:
        raise ValueError(f"n_largest must be at least 1, got {n_largest}.")
    history = _History.of(ids, nodes, n_largest)
    n_steps = len(history.sizes)
    if steps is not None and len(steps) != n_steps:
        raise ValueError(f"steps has {len(steps)} names, but ids has {n_steps} steps.")
    ax = make_axes(ax)
    tops, colours = history.tops(), _colours(history)
    _draw_bands(ax, history, tops, colours)
    _draw_bars(ax, history, tops, colours)
    _draw_names(ax, history, tops, names or {})
    texts = [as_text(step) for step in (range(n_steps) if steps is None else steps)]
    ax.set_xticks(range(n_steps), texts)
    ax.set_yticks([])
    ax.set_xlim(-0.6, n_steps - 0.4)
    ax.set_ylim(history.height, -GAP * history.height)
    ax.tick_params(axis="x", length=0)
    ax.spines[:].set_visible(False)
    return ax


@dataclass(frozen=True)
class _History:
    """The clusters that are drawn, from top to bottom; the last one is all others together.

    Attributes
    ----------
    ids : ndarray of int64
        Id of each cluster but the last.
    rank : ndarray of intp
        Rank of each cluster by size, the largest first.
    sizes : ndarray of int64, shape (n_steps, n_clusters)
        Numbers of nodes.
    flows : ndarray of int64, shape (n_steps - 1, n_clusters, n_clusters)
        Numbers of nodes in each cluster that are in each one at the next step.
    n_others : ndarray of int64, shape (n_steps,)
        Number of clusters that the last one has at each step.
    """

    ids: IntArray
    rank: Positions
    sizes: IntArray
    flows: IntArray
    n_others: IntArray

    @classmethod
    def of(cls, ids: Sequence[Any], nodes: Sequence[Any] | None, n_largest: int) -> "_History":
        given = [_ids(step) for step in ids]
        if not any(step.size for step in given):
            raise ValueError("there are no nodes at any step; there is nothing to draw.")
        named = [None] * len(given) if nodes is None else list(nodes)
        if len(named) != len(given):
            raise ValueError(f"nodes has {len(named)} steps, but ids has {len(given)}.")
        all_ids, at = np.unique(np.concatenate(given), return_inverse=True)
        ends = np.cumsum([len(step) for step in given])[:-1]
        counts = [np.bincount(step, minlength=len(all_ids)) for step in np.split(at, ends)]
        largest = all_ids[np.argsort(-np.max(counts, axis=0), kind="stable")][:n_largest]
        known, place = np.sort(largest), np.argsort(largest)
        k = len(largest)

        def places(step: IntArray) -> Positions:
            found = np.minimum(np.searchsorted(known, step), k - 1)
            return np.where(known[found] == step, place[found], k)

        columns = [places(step) for step in given]
        sizes = np.stack([np.bincount(column, minlength=k + 1) for column in columns])
        flows = np.zeros((len(given) - 1, k + 1, k + 1), dtype=np.int64)
        for step, (old, new) in enumerate(pairwise(columns)):
            before = positions_of_nodes(len(old), len(new), named[step], named[step + 1])
            stayed = before >= 0
            np.add.at(flows[step], (old[before[stayed]], new[stayed]), 1)
        together = flows.sum(axis=0)[:k, :k]
        order = np.append(_near(together + together.T), k)
        others = [step[at == k] for step, at in zip(given, columns, strict=True)]
        return cls(
            largest[order[:-1]],
            order,
            sizes[:, order],
            flows[:, order][:, :, order],
            np.array([len(np.unique(step)) for step in others]),
        )

    @property
    def gap(self) -> float:
        return GAP * float(self.sizes.sum(axis=1).max())

    @property
    def height(self) -> float:
        """The height of the highest column."""
        return float((self.sizes.sum(axis=1) + self.gap * (self.sizes > 0).sum(axis=1)).max())

    def tops(self) -> FloatArray:
        """Return where each bar begins, from the top; columns are centred."""
        taken = self.sizes + self.gap * (self.sizes > 0)
        start = (self.height - taken.sum(axis=1)) / 2
        return np.asarray(start[:, None] + np.cumsum(taken, axis=1) - taken)


def _ids(step: Any) -> IntArray:
    found = np.asarray(step)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise ValueError(
            "ids must have, for each step, an array of one whole number per node, got an array of "
            f"{found.dtype} and shape {found.shape}."
        )
    return found.astype(np.int64)


def _near(together: IntArray) -> Positions:
    """Order clusters so that those that exchange many members are near each other.

    Each is moved to its best place while that lowers the sum of numbers of members times
    distances.
    """
    order = list(range(len(together)))
    flows = together - np.diag(np.diag(together))

    def cost(some: list[int]) -> int:
        place = np.argsort(some)
        return int((flows * np.abs(place[:, None] - place)).sum())

    best, improved = cost(order), True
    while improved:
        improved = False
        for cluster in range(len(order)):
            rest = [other for other in order if other != cluster]
            tried = [[*rest[:at], cluster, *rest[at:]] for at in range(len(order))]
            costs = [cost(one) for one in tried]
            if min(costs) < best:
                best, improved = min(costs), True
                order = tried[int(np.argmin(costs))]
    return np.array(order, dtype=np.intp)


def _colours(history: _History) -> FloatArray:
    """Return the colour of each cluster: by its size, the others grey."""
    own = cluster_colours(N_COLOURS)[history.rank[:-1] % N_COLOURS]
    return np.vstack([own, to_rgb(GREY)])


def _draw_bars(ax: Axes, history: _History, tops: FloatArray, colours: FloatArray) -> None:
    step, cluster = np.nonzero(history.sizes)
    left, right = step - WIDTH / 2, step + WIDTH / 2
    low, high = tops[step, cluster], tops[step, cluster] + history.sizes[step, cluster]
    boxes = np.stack([left, low, right, low, right, high, left, high], axis=1).reshape(-1, 4, 2)
    ax.add_collection(PolyCollection(list(boxes), facecolors=colours[cluster], edgecolors="none"))


def _draw_bands(ax: Axes, history: _History, tops: FloatArray, colours: FloatArray) -> None:
    """Draw what passes between two columns; at each bar, in the order of the other ends."""
    part = np.linspace(0, 1, SMOOTH)
    ease = part**2 * (3 - 2 * part)
    shapes, shades = [], []
    for step, flow in enumerate(history.flows):
        begin = tops[step][:, None] + np.cumsum(flow, axis=1) - flow
        end = tops[step + 1] + np.cumsum(flow, axis=0) - flow
        x = step + WIDTH / 2 + (1 - WIDTH) * part
        for old, new in np.argwhere(flow):
            y = begin[old, new] + (end[old, new] - begin[old, new]) * ease
            upper, lower = np.column_stack([x, y]), np.column_stack([x, y + flow[old, new]])
            shapes.append(np.vstack([upper, lower[::-1]]))
            shades.append((*colours[old], STAYING if old == new else MOVING))
    # Those that change their cluster, which are few, above those that stay.
    order = np.argsort([shade[3] for shade in shades], kind="stable")
    ax.add_collection(
        PolyCollection(
            [shapes[at] for at in order],
            facecolors=[shades[at] for at in order],
            edgecolors="none",
        )
    )


def _draw_names(ax: Axes, history: _History, tops: FloatArray, given: Mapping[int, str]) -> None:
    """Name each cluster where it is first seen, and at the last step."""
    last = len(history.sizes) - 1
    texts = [as_text(given.get(int(one), one)) for one in history.ids]
    for cluster, text in enumerate(texts):
        there = np.flatnonzero(history.sizes[:, cluster])
        for step, side in {(there[0], -1), (last, 1)} if there[-1] == last else {(there[0], -1)}:
            _name(ax, history, tops, int(step), cluster, text, side)
    for step, side in ((0, -1), (last, 1)):
        if history.n_others[step]:
            text = count(int(history.n_others[step]), "other")
            _name(ax, history, tops, step, len(texts), text, side)


def _name(
    ax: Axes, history: _History, tops: FloatArray, step: int, cluster: int, text: str, side: int
) -> None:
    ax.annotate(
        text,
        (step + side * WIDTH / 2, tops[step, cluster] + history.sizes[step, cluster] / 2),
        xytext=(3 * side, 0),
        textcoords="offset points",
        ha="right" if side < 0 else "left",
        va="center",
        fontsize="x-small",
        parse_math=False,
        path_effects=[withStroke(linewidth=2, foreground="white")],  # may lie on a band
    )
