"""The picture at the top of the README: the characters of Les Miserables and their clusters.

    python experiments/readme_figure.py --figure docs/_static/les_miserables.png
    python experiments/readme_figure.py --quick    # at low resolution; writes no file

The graph comes with networkx: the weight of an edge is the number of chapters in which two
characters meet (D. E. Knuth. The Stanford GraphBase. 1993). The fit sets only the seed, as in the
README.
"""

import argparse
import io
import re
from pathlib import Path

import matplotlib as mpl
import networkx as nx
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Circle
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox
from PIL import Image

from powercut import PowerLawCut
from powercut._typing import FloatArray, IntArray
from powercut.partition import Labels
from powercut.plot._axes import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION

# One for each cluster, the largest first; chosen so that clusters side by side differ in lightness.
COLOURS = np.array([BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, "#666666"])
INK, PAPER = "#222222", "white"
GAP = 0.35  # between the discs of two clusters
EDGE = 0.6  # between a node and the edge of its disc
NAMED = 3  # nodes of each cluster that are named, if there is room
# Where a name may stand: above, below, beside, at a corner.
SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0), (0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7))


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the picture at the top of the README.")
    parser.add_argument("--figure", type=Path, help="the file to write; default: none")
    parser.add_argument("--quick", action="store_true", help="draw at low resolution")
    given = parser.parse_args()

    G = nx.les_miserables_graph()
    model = PowerLawCut(random_state=0).fit(G)
    print(model.n_clusters_, "clusters:", model.cluster_sizes_)
    if model.n_clusters_ > len(COLOURS):
        raise SystemExit(f"{model.n_clusters_} clusters need more than {len(COLOURS)} colours")

    mpl.use("Agg")
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.6, 5.4), width_ratios=(2.35, 1), facecolor=PAPER
    )
    figure.subplots_adjust(left=0.005, right=0.985, bottom=0.02, top=0.98, wspace=0.02)
    draw_graph(left, G, model.labels_)
    draw_sizes(right, G, model.labels_)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=50 if given.quick else 1600 / 9.6)
    if given.figure:  # with a palette, at a quarter of the size
        Image.open(drawn).convert("RGB").quantize(160).save(given.figure, optimize=True)


def draw_graph(ax: Axes, G: nx.Graph, labels: Labels) -> None:
    """Draw nodes and edges in the colours of their clusters, with a disc behind each cluster."""
    centres, radii = place_clusters(G, labels)
    points = place_nodes(G, labels, centres, radii)
    for centre, radius, colour in zip(centres, radii, COLOURS, strict=False):
        ax.add_patch(Circle(centre, radius, color=colour, alpha=0.13, lw=0, zorder=1))

    ends = edge_ends(G)
    weights = np.array([weight for _, _, weight in G.edges.data("weight")])
    inside = labels[ends[:, 0]] == labels[ends[:, 1]]
    for chosen, colour, alpha in (
        (~inside, "#8a8a8a", 0.35),
        (inside, COLOURS[labels[ends[inside, 0]]], 0.5),
    ):
        lines = LineCollection(
            list(points[ends[chosen]]),
            colors=colour,
            linewidths=0.4 + 0.4 * np.sqrt(weights[chosen]),
            alpha=alpha,
            zorder=2,
        )
        ax.add_collection(lines)
    areas = 16 + 2 * strengths(G)
    ax.scatter(*points.T, s=areas, c=COLOURS[labels], edgecolors=PAPER, lw=0.8, zorder=3)
    ax.set_aspect("equal")
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    ax.set_xlim(low[0] - 0.2, high[0] + 0.2)
    ax.set_ylim(low[1] - 0.2, high[1] + 0.2)
    ax.axis("off")
    write_names(ax, G, labels, points, areas)


def edge_ends(G: nx.Graph) -> IntArray:
    """Return the numbers of both ends of each edge."""
    number = {node: index for index, node in enumerate(G)}
    return np.array([(number[u], number[v]) for u, v in G.edges])


def strengths(G: nx.Graph) -> FloatArray:
    """Return the sum of the weights of each node's edges."""
    return np.array([degree for _, degree in G.degree(weight="weight")], dtype=float)


def place_clusters(G: nx.Graph, labels: Labels) -> tuple[FloatArray, FloatArray]:
    """Return centres and radii of discs that do not overlap, joined clusters near each other."""
    radii = 0.75 * np.sqrt(np.bincount(labels)) + 0.3
    joined = nx.complete_graph(len(radii))
    between = np.zeros((len(radii), len(radii)))
    weights = [weight for _, _, weight in G.edges.data("weight")]
    np.add.at(between, tuple(labels[edge_ends(G)].T), weights)
    between += between.T
    wanted = radii[:, None] + radii + GAP + 3.5 / (1 + between)
    lengths = {i: {j: wanted[i, j] for j in joined if j != i} for i in joined}
    placed = nx.kamada_kawai_layout(joined, dist=lengths, scale=1)
    centres = np.array([placed[label] for label in joined])
    # Kamada and Kawai give the shape; the scale is that of the distances which were wanted.
    apart = np.linalg.norm(centres[:, None] - centres, axis=-1)
    centres *= np.median(wanted[apart > 0] / apart[apart > 0])
    lacking = radii[:, None] + radii + GAP
    for _ in range(300):
        push_apart(centres, lacking)
    # The longest direction of the picture is that of the page.
    centres -= centres.mean(axis=0)
    _, axes = np.linalg.eigh(centres.T @ centres)
    centres = centres @ axes[:, ::-1]
    return centres, radii


def push_apart(points: FloatArray, wanted: FloatArray) -> None:
    """Move points apart that are nearer than wanted, each by half of the difference."""
    for i in range(len(points)):
        for j in range(i):
            step = points[i] - points[j]
            distance = np.linalg.norm(step)
            if distance < wanted[i, j]:
                step *= (wanted[i, j] - distance) / (2 * distance)
                points[i] += step
                points[j] -= step


def place_nodes(G: nx.Graph, labels: Labels, centres: FloatArray, radii: FloatArray) -> FloatArray:
    """Return a place for each node in the disc of its cluster, turned so that edges are short."""
    names = np.array(list(G))
    points = centres[labels]
    ends = edge_ends(G)
    for label, radius in enumerate(radii):
        members = np.flatnonzero(labels == label)
        cluster = nx.Graph()  # subgraph() has nodes in the order of a set, another in every run
        cluster.add_nodes_from(names[members])
        cluster.add_edges_from(G.subgraph(names[members]).edges)
        placed = nx.kamada_kawai_layout(cluster, weight=None)
        own = np.array([placed[name] for name in names[members]])
        own -= (own.max(axis=0) + own.min(axis=0)) / 2
        own *= (radius - EDGE) / np.linalg.norm(own, axis=1).max()
        large = np.sqrt(strengths(G)[members] / strengths(G).max())
        wanted = 0.95 + 0.55 * (large[:, None] + large)
        for _ in range(200):
            push_apart(own, wanted)
            own /= np.maximum(1, np.linalg.norm(own, axis=1) / (radius - EDGE))[:, None]
        points[members] = centres[label] + own
    for _ in range(3):
        for label in range(len(radii)):
            members = np.flatnonzero(labels == label)
            own = points[members] - centres[label]
            leaving = ends[(labels[ends] == label).sum(axis=1) == 1]
            best = np.inf
            for mirror in (1, -1):
                for angle in np.linspace(0, 2 * np.pi, 72, endpoint=False):
                    c, s = np.cos(angle), np.sin(angle)
                    turned = own * (1, mirror) @ np.array([[c, s], [-s, c]])
                    trial = points.copy()
                    trial[members] = centres[label] + turned
                    length = np.linalg.norm(np.diff(trial[leaving], axis=1), axis=-1).sum()
                    if length < best:
                        best, chosen = length, trial
            points = chosen
    return points


def write_names(
    ax: Axes, G: nx.Graph, labels: Labels, points: FloatArray, areas: FloatArray
) -> None:
    """Write the names of the strongest nodes, where they cover no other name and no node."""
    figure = ax.figure
    places = ax.transData.transform(points)
    pixels = figure.dpi / 72
    radii = np.sqrt(areas) / 2 * pixels
    order = np.argsort(-areas, kind="stable")
    named = [
        node for label in range(labels.max() + 1) for node in order[labels[order] == label][:NAMED]
    ]
    taken: list[Bbox] = []
    for index in sorted(named, key=lambda node: -areas[node]):
        for x, y in SIDES:
            away = radii[index] / pixels + (1.5 if x * y == 0 else 0)
            text = ax.annotate(
                spaced(list(G)[index]),
                points[index],
                (x * away, y * away),
                textcoords="offset points",
                ha=("right", "center", "left")[round(x) + 1],
                va=("top", "center", "bottom")[round(y) + 1],
                fontsize=10,
                color=INK,
                path_effects=[withStroke(linewidth=2.2, foreground=PAPER)],
                zorder=4,
            )
            box = text.get_window_extent(figure.canvas.get_renderer())
            gap = np.abs(places - np.clip(places, box.min, box.max)).max(axis=1) - radii
            gap[index] = np.inf
            if (gap > 0).all() and not any(box.overlaps(other) for other in taken):
                taken.append(box.padded(2 * pixels))
                break
            text.remove()


def spaced(name: str) -> str:
    """Return a name of the data set with a space between its words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", name)


def draw_sizes(ax: Axes, G: nx.Graph, labels: Labels) -> None:
    """Draw the sizes of clusters as bars, with the names of the strongest nodes."""
    sizes = np.bincount(labels)
    ranks = np.arange(len(sizes))
    ax.barh(ranks, sizes, height=0.3, color=COLOURS[: len(sizes)])
    names = np.array(list(G))
    for rank, size in enumerate(sizes):
        members = np.flatnonzero(labels == rank)
        leading = names[members[np.argsort(-strengths(G)[members], kind="stable")][:3]]
        ax.text(
            0, rank - 0.24, ", ".join(map(spaced, leading)), fontsize=10, color=INK, va="bottom"
        )
        ax.text(size + 0.5, rank, str(size), fontsize=10.5, color=INK, va="center")
    ax.set_ylim(len(sizes) - 0.4, -1.25)
    ax.set_xlim(0, 1.2 * sizes.max())
    title = f"Les Misérables:\n{len(G)} characters in {len(sizes)} clusters"
    ax.text(0, -0.72, title, fontsize=12, color=INK, va="bottom", weight="bold")
    ax.axis("off")


if __name__ == "__main__":
    main()
