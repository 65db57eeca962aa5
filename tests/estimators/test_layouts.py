"""Dense input of every layout and type gives the labels of a plain array."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from powercut import PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.datasets import make_blobs, make_paper_graph

GRAPH = make_paper_graph(60, n_clusters=(2, 8), random_state=0)[0].adjacency.toarray()
POINTS = make_blobs(60, n_features=4, random_state=0)[0].astype(np.float64)
MODELS = {
    "likelihood": (PowerLawCut(tradeoff=1.0, random_state=0), GRAPH),
    "ncut": (PowerLawCut("ncut", random_state=0), GRAPH),
    "neighbors": (PowerLawCut("ncut", affinity="nearest_neighbors", random_state=0), POINTS),
    "rbf": (PowerLawCut("ncut", affinity="rbf", random_state=0), POINTS),
    "clusters": (PowerLawClusters(random_state=0), POINTS),
    "clusters-wide": (PowerLawClusters(scale="columns", random_state=0), np.tile(POINTS, 6)),
    "gaussian": (PowerLawMeans(random_state=0), POINTS),
    "kmeans": (PowerLawMeans("kmeans", tradeoff=9.0, random_state=0), POINTS),
    "lloyd": (PowerLawMeans("kmeans", tradeoff=9.0, algorithm="lloyd"), POINTS),
    "kernel": (PowerLawKernelMeans(9.0, random_state=0), POINTS @ POINTS.T),
}


def layouts(values: np.ndarray, folder: Path) -> Iterator[tuple[str, Any]]:
    yield "columns first", np.asfortranarray(values)
    wide = np.zeros((2 * values.shape[0], 3 * values.shape[1]))
    wide[::2, ::3] = values
    yield "strided", wide[::2, ::3]
    yield "reversed", values[::-1, ::-1].copy()[::-1, ::-1]
    frozen = values.copy()
    frozen.flags.writeable = False
    yield "read-only", frozen
    yield "big-endian", values.astype(">f8")
    yield "long double", values.astype(np.longdouble)
    yield "list", values.tolist()
    unaligned = np.empty(values.nbytes + 1, dtype=np.uint8)[1:].view(np.float64)
    unaligned = unaligned.reshape(values.shape)
    unaligned[...] = values
    yield "unaligned", unaligned
    fields = np.zeros(values.shape, dtype=[("value", "f8"), ("other", "i1")])
    fields["value"] = values
    yield "field of records", fields["value"]
    values.tofile(folder / "values")
    yield "mapped", np.memmap(folder / "values", dtype=np.float64, mode="r", shape=values.shape)


@pytest.mark.parametrize("name", MODELS)
def test_every_layout_gives_the_same_labels(name: str, tmp_path: Path) -> None:
    model, values = MODELS[name]
    expected = clone(model).fit(values).labels_
    for layout, same in layouts(values, tmp_path):
        fitted = clone(model).fit(same)
        np.testing.assert_array_equal(fitted.labels_, expected, err_msg=layout)
        np.testing.assert_array_equal(fitted.predict(same), expected, err_msg=layout)


@pytest.mark.parametrize("name", MODELS)
def test_values_that_are_not_real_numbers_are_refused(name: str) -> None:
    model, values = MODELS[name]
    missing = values.copy()
    missing[3, 2] = np.nan
    for wrong in (missing, values.astype(complex), values[0], values[None], values[:, :0]):
        with pytest.raises(ValueError, match=r"\w"):
            clone(model).fit(wrong)
