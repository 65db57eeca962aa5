"""The pictures of a report."""

from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from powercut import plot
from powercut.report._html import picture
from powercut.report._subject import Subject
from powercut.results.plateaus import TradeoffPath

WIDE, SQUARE = (6.0, 4.0), (6.0, 5.2)
# Where J changes by less than this part, its path is a flat line.
STILL = 1e-6


def _side_by_side(*pictures: str) -> str:
    content = "\n".join(filter(None, pictures))
    return f'<div class="pictures">\n{content}\n</div>' if content else ""


def sizes(subject: Subject) -> str:
    """Return the sizes of clusters by rank and as a histogram."""
    labels = subject.model.labels_
    return _side_by_side(
        picture(
            lambda ax: plot.rank_size(labels, ax=ax),
            caption="Size of each cluster by rank. The band holds nine of ten partitions drawn "
            "from the fitted Pitman-Yor prior.",
            size=WIDE,
        ),
        picture(
            lambda ax: plot.size_histogram(labels, ax=ax),
            caption="How many clusters there are of each size, and how many were to be expected.",
            size=WIDE,
        ),
    )


def of_data(subject: Subject) -> str:
    """Return pictures of what was clustered, as far as it is known."""
    return _side_by_side(*_of_graph(subject), _of_vectors(subject))


def search(model: Any, tradeoffs: TradeoffPath | None) -> str:
    """Return how J fell, and the partitions over a range of tradeoffs."""
    found = []
    path = model.objective_path_
    if np.ptp(path) > STILL * abs(path[-1]):
        found.append(
            picture(
                lambda ax: plot.objective_path(path, ax=ax),
                caption="J at the start of the search that was kept, and after each of its rounds.",
                size=WIDE,
            )
        )
    if tradeoffs is not None:
        found.append(
            picture(
                lambda ax: plot.tradeoff_path(tradeoffs, ax=ax),
                caption="Number of clusters over the tradeoff. Shaded: ranges over which the "
                "partition stays, with its number of clusters.",
                size=WIDE,
            )
        )
    return _side_by_side(*found)


def _of_graph(subject: Subject) -> list[str]:
    graph, labels = subject.graph, subject.model.labels_
    if graph is None or graph.n_entries == 0:
        return []
    return [
        picture(
            lambda ax: plot.adjacency(graph, labels, ax=ax),
            caption="The matrix of the graph, nodes in the order of their clusters.",
            size=SQUARE,
        ),
        picture(
            lambda ax: plot.between_clusters(graph, labels, ax=ax),
            caption="Weight between each two of the largest clusters, over what their degrees "
            "would make it by chance. Grey: no edge at all.",
            size=SQUARE,
        ),
    ]


def _of_vectors(subject: Subject) -> str:
    X = subject.vectors
    if X is None or min(X.shape) < 2:
        return ""
    plane = X.shape[1] == 2
    where = "as they are" if plane else "by their two principal components"
    at = PCA(n_components=2, random_state=0).fit_transform(X) if not plane else X
    return picture(
        lambda ax: plot.embedding(at, subject.model.labels_, ax=ax),
        caption=f"The points {where}, with the numbers of the largest clusters.",
        size=SQUARE,
    )
