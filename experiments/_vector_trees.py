"""Trees of vectors, beside those of other methods: the section ``vectors`` of tree.py."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import HDBSCAN
from sklearn.neighbors import NearestNeighbors

from _evoc import IS_INSTALLED as EVOC_IS_INSTALLED
from _evoc import fit_evoc
from _npz import Labels
from _real_data import Unavailable
from _results import header
from _tree_measures import ami, levels_at, show, timed
from _vector_data import SEEN, UNSEEN, Points
from powercut import PowerLawClusters, cluster_tree
from powercut.vectors.scaling import choose_scaling

# The resolutions of the five levels that are read, besides the fitted one.
FIVE_ABOVE, FIVE_BELOW = (0.5,), (2**-4, 2**-2, 1.0)
# Distances at which HDBSCAN's tree is cut, as quantiles of those to the fifth neighbour.
N_CUTS, N_NEIGHBORS = 20, 5


def ward(X: Points, numbers: Sequence[int]) -> list[Labels]:
    tree = linkage(X, "ward")
    return [fcluster(tree, k, "maxclust") - 1 for k in numbers]


def hdbscan(X: Points) -> list[Labels]:
    """Cut HDBSCAN's tree at many distances; its noise is one more cluster."""
    found = HDBSCAN(copy=True).fit(X)
    distances = NearestNeighbors(n_neighbors=N_NEIGHBORS + 1).fit(X).kneighbors()[0][:, -1]
    cuts = np.unique(np.quantile(distances, np.linspace(0.05, 1, N_CUTS)))
    return [found.labels_ + 1, *(found.dbscan_clustering(cut) + 1 for cut in cuts if cut > 0)]


def evoc(X: Points) -> list[Labels]:
    """Return the layers of EVoC; its noise is one more cluster."""
    return [np.asarray(layer) + 1 for layer in fit_evoc(X).cluster_layers_]


def vectors(names: Sequence[str]) -> None:
    """Print AMI with the classes of the best level of each tree, and seconds."""
    columns = ["fit", "best level", "of five", "of those kept", "Ward", "HDBSCAN"]
    columns += ["EVoC"] * EVOC_IS_INSTALLED
    print(header(("classes", "", *columns, "levels kept", "fit, s", "tree, s")), flush=True)
    rows: dict[str, list[list[float]]] = {}
    for name in names:
        kind = "seen" if name in SEEN else "unseen"
        try:
            X, truth = (SEEN | UNSEEN)[name]()
        except Unavailable as reason:
            print(f"skipped, {reason}: {name}")
            continue
        if len(np.unique(truth)) == 1:
            continue
        model, fit_seconds = timed(partial(PowerLawClusters(random_state=0).fit, X))
        make = partial(cluster_tree, X, estimator=model, random_state=0)
        kept, seconds = timed(make)
        whole = make(prune=False)
        cuts = [whole.cut(level=level) for level in range(whole.n_levels)]
        scaled = choose_scaling(X)(X)
        found = [
            [whole.cut()],
            cuts,
            [cuts[level] for level in levels_at(whole, FIVE_ABOVE, FIVE_BELOW)],
            [kept.cut(level=level) for level in range(kept.n_levels)],
            ward(scaled, [int(labels.max()) + 1 for labels in cuts]),
            hdbscan(scaled),
            *([evoc(scaled)] if EVOC_IS_INSTALLED else []),
        ]
        row = [max(ami(truth, labels) for labels in of_tree) for of_tree in found]
        rows.setdefault(kind, []).append(row)
        times = f"{fit_seconds:.1f}", f"{seconds:.1f}"
        show(name, kind, *(f"{value:.3f}" for value in row), f"{kept.n_levels - 1}", *times)
    rows["all"] = [row for some in rows.values() for row in some]
    for kind, some in rows.items():
        if some:
            means = (f"{value:.4f}" for value in np.mean(some, axis=0))
            show(f"mean of {len(some)}", kind, *means, "", "", "")
