"""The replacement for scanpy.tl.leiden: what it reads from an AnnData, and what it writes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_mutual_info_score

from powercut import PowerLawCut, neighbors
from powercut.datasets import make_blobs
from powercut.interop.scanpy import cluster

anndata: Any = pytest.importorskip("anndata")
pd: Any = pytest.importorskip("pandas")

X, TRUTH = make_blobs(300, n_features=8, random_state=0)
GRAPH = neighbors.graph(X)
MODEL = PowerLawCut(random_state=0).fit(GRAPH)
LABELS = MODEL.labels_.astype(str)
# What a fit by the likelihood estimates, and AnnData can store.
ESTIMATED = ("tradeoff", "concentration", "discount", "description_length", "degree_corrected")


@pytest.fixture
def adata() -> Any:
    names = pd.Index([f"cell{i}" for i in range(300)])
    made = anndata.AnnData(X, obs=pd.DataFrame({"kind": pd.Categorical(TRUTH.astype(str))}, names))
    made.obsp["connectivities"] = GRAPH.adjacency
    made.uns["neighbors"] = {"connectivities_key": "connectivities"}
    return made


def test_clusters_are_a_categorical_of_strings_beside_their_parameters(adata: Any) -> None:
    assert cluster(adata, tradeoff=1.0, n_init=2) is None
    found = adata.obs["powercut"]
    assert list(found.cat.categories) == [str(c) for c in range(found.nunique())]
    labels = PowerLawCut(tradeoff=1.0, n_init=2, random_state=0).fit(GRAPH).labels_
    np.testing.assert_array_equal(found, labels.astype(str))
    assert adata.uns["powercut"]["params"] == {
        "random_state": 0,
        "use_weights": True,
        "tradeoff": 1.0,
        "n_init": 2,
    }
    assert adata.uns["powercut"]["tradeoff"] == 1.0


def test_certainty_of_cells_and_clusters_is_written(adata: Any) -> None:
    cluster(adata, key_added="kinds")
    np.testing.assert_array_equal(adata.obs["kinds_margin"], MODEL.margins_)
    written = adata.uns["kinds"]
    np.testing.assert_array_equal(written["clusters"], adata.obs["kinds"].cat.categories)
    np.testing.assert_array_equal(written["sizes"], adata.obs["kinds"].value_counts(sort=False))
    np.testing.assert_array_equal(written["evidence"], MODEL.cluster_evidence_)
    assert {name: written[name] for name in ESTIMATED} == {
        name: getattr(MODEL, f"{name}_") for name in ESTIMATED
    }
    assert written["weights"] == "counts"


def test_only_the_likelihood_has_a_description_length(adata: Any) -> None:
    cluster(adata, score="modularity", tradeoff=0.0)
    written = set(adata.uns["powercut"])
    assert written == {
        *("params", "clusters", "sizes", "evidence"),
        *("tradeoff", "concentration", "discount"),
    }


def test_copy_does_not_change_the_original(adata: Any) -> None:
    copied = cluster(adata, key_added="mine", copy=True)
    assert "mine" not in adata.obs
    assert "mine" not in adata.uns
    np.testing.assert_array_equal(copied.obs["mine"], LABELS)
    assert list(copied.obs_names) == list(adata.obs_names)


@pytest.mark.parametrize("where", ["obsp", "neighbors_key", "adjacency"])
def test_graph_is_read_from_any_of_its_places(where: str, adata: Any) -> None:
    adata.obsp["other_connectivities"] = adata.obsp.pop("connectivities")
    adata.uns["other"] = {"connectivities_key": "other_connectivities"}
    options = {
        "obsp": "other_connectivities",
        "neighbors_key": "other",
        "adjacency": GRAPH.adjacency,
    }
    cluster(adata, **{where: options[where]})
    np.testing.assert_array_equal(adata.obs["powercut"], LABELS)


def test_weights_can_be_ignored(adata: Any) -> None:
    spread = sparse.diags_array(np.random.default_rng(0).lognormal(0, 2, 300))
    adata.obsp["connectivities"] = sparse.csr_array(spread @ GRAPH.adjacency @ spread)
    cluster(adata, use_weights=False)
    np.testing.assert_array_equal(adata.obs["powercut"], LABELS)


def test_only_some_categories_are_clustered(adata: Any) -> None:
    chosen = ["0", "1"]
    cluster(adata, restrict_to=("kind", chosen), score="modularity", tradeoff=0.0)
    found, inside = adata.obs["powercut_R"], adata.obs["kind"].isin(chosen).to_numpy()
    np.testing.assert_array_equal(found[~inside], adata.obs["kind"][~inside])
    restricted = GRAPH.adjacency[inside][:, inside]
    model = PowerLawCut("modularity", tradeoff=0.0, random_state=0).fit(restricted)
    labels = model.labels_
    np.testing.assert_array_equal(found[inside], [f"0-1,{label}" for label in labels])
    assert not found.isna().any()
    kept = [kind for kind in adata.obs["kind"].cat.categories if kind not in chosen]
    new = [f"0-1,{label}" for label in range(labels.max() + 1)]
    assert list(found.cat.categories) == kept + new
    margins = adata.obs["powercut_R_margin"]
    np.testing.assert_array_equal(margins[inside], model.margins_)
    assert margins[~inside].isna().all()
    np.testing.assert_array_equal(adata.uns["powercut_R"]["clusters"], new)
    np.testing.assert_array_equal(adata.uns["powercut_R"]["sizes"], np.bincount(labels))


@pytest.mark.filterwarnings("ignore:Writing zarr v2")  # AnnData's default is about to change
@pytest.mark.parametrize("suffix", ["h5ad", "zarr"])
def test_result_can_be_stored(suffix: str, adata: Any, tmp_path: Path) -> None:
    pytest.importorskip("h5py" if suffix == "h5ad" else "zarr")
    cluster(adata, n_init=np.int64(2), progress=lambda _: None)
    path = tmp_path / f"cells.{suffix}"
    getattr(adata, f"write_{suffix}")(path)
    back = getattr(anndata, f"read_{suffix}")(path)
    pd.testing.assert_frame_equal(back.obs, adata.obs)
    assert back.uns["powercut"]["params"] == {"random_state": 0, "use_weights": True, "n_init": 2}
    written = adata.uns["powercut"]
    assert set(back.uns["powercut"]) == set(written)
    for name in set(written) - {"params"}:
        np.testing.assert_array_equal(back.uns["powercut"][name], written[name])


def test_first_call_imports_nothing_slow() -> None:
    # The import of scikit-learn took 2 s of a first call that clustered in a tenth of a second.
    program = (
        "import sys, anndata, numpy\n"
        "adata = anndata.AnnData(numpy.zeros((4, 1)))\n"
        "adata.obsp['connectivities'] = numpy.ones((4, 4))\n"
        "before = set(sys.modules)\n"
        "import powercut\n"
        "powercut.scanpy.cluster(adata, tradeoff=1.0)\n"
        "print(*(set(sys.modules) - before))"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "powercut.interop.scanpy" in imported
    assert not imported & {"sklearn", "scipy.stats", "joblib", "scanpy", "matplotlib"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"obsp": "nothing"}, KeyError, "scanpy.pp.neighbors"),
        ({"neighbors_key": "nothing"}, KeyError, "key_added='nothing'"),
        ({"obsp": "a", "neighbors_key": "b"}, ValueError, "pass only one"),
        ({"restrict_to": ("kind", ["zebra"])}, ValueError, "'zebra' is not a category"),
    ],
)
def test_missing_entries_are_named(
    options: dict[str, Any], error: type[Exception], message: str, adata: Any
) -> None:
    with pytest.raises(error, match=message):
        cluster(adata, **options)
    assert list(adata.obs) == ["kind"]


def test_cells_of_a_real_data_set() -> None:
    folder = os.environ.get("POWERCUT_DATA")
    if folder is None:
        pytest.skip("POWERCUT_DATA is not set; there is no real set to read")
    cells = Path(folder) / "vectors" / "pbmc68k-reduced"
    reduced = np.load(cells / "pca50.npy")
    adata = anndata.AnnData(reduced)
    adata.obsp["connectivities"] = neighbors.graph(reduced).adjacency
    cluster(adata)
    truth = np.loadtxt(cells / "labels.txt", dtype=np.int64)
    assert adjusted_mutual_info_score(truth, adata.obs["powercut"]) > 0.6


@pytest.mark.filterwarnings("ignore")  # those of scanpy and of what it imports
def test_replaces_leiden_in_scanpy() -> None:
    sc = pytest.importorskip("scanpy", reason="scanpy is not installed; it is heavy, and optional")
    adata = sc.datasets.pbmc68k_reduced()
    sc.pp.neighbors(adata, n_neighbors=15)
    cluster(adata)
    sc.tl.leiden(adata, flavor="igraph", n_iterations=2, directed=False)
    ours, theirs = adata.obs["powercut"], adata.obs["leiden"]
    assert type(ours.cat.categories[0]) is type(theirs.cat.categories[0])
    assert ours.cat.categories.dtype == theirs.cat.categories.dtype
    truth = adata.obs["bulk_labels"]
    assert adjusted_mutual_info_score(truth, ours) > 0.5
    sc.tl.rank_genes_groups(adata, "powercut", method="t-test")
    assert list(adata.uns["powercut"]["clusters"]) == list(ours.cat.categories)
    sc.pl.umap(adata, color=["powercut", "powercut_margin"], show=False)
    sc.tl.paga(adata, groups="powercut")
    assert adata.uns["paga"]["connectivities"].shape == (ours.nunique(),) * 2
