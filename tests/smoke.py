"""A quick trial of an installed powercut, with nothing but what it depends on."""

import tempfile
from pathlib import Path

import numpy as np

import powercut
from powercut.datasets import make_blobs, make_paper_graph


def main() -> None:
    """Fit a graph and vectors, predict, store, and say what was tried."""
    powercut.show_versions()
    graph, truth = make_paper_graph(500, n_clusters=(5, 8), random_state=0)
    cut = powercut.PowerLawCut(random_state=0, n_jobs=-1).fit(graph)
    X, _ = make_blobs(500, n_features=8, random_state=0)
    means = powercut.PowerLawMeans(random_state=0, n_jobs=-1).fit(X)
    for model, data in ((cut, graph.adjacency), (means, X)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.npz"
            powercut.save(path, model=model)
            again = powercut.load(path)
        if not np.array_equal(again.predict(data), model.labels_):
            raise SystemExit("a stored model predicts other labels than those of its fit")
    pairs = np.equal.outer(cut.labels_, cut.labels_) == np.equal.outer(truth, truth)
    if pairs.mean() < 0.95:
        raise SystemExit(f"only {pairs.mean():.0%} of pairs are as planted")
    print(f"\n{cut.n_clusters_} clusters of nodes, {means.n_clusters_} of points: all well")


if __name__ == "__main__":
    main()
