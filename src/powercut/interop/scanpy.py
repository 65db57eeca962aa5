"""Clusters of cells, for users of scanpy and AnnData. Neither package is imported here.

Nor is scikit-learn, which AnnData does not import: its import would take far longer than the
clusters of a thousand cells.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from powercut.estimators._graph_fit import GraphFit
from powercut.graphs.graph import Graph

DEFAULT_KEY = "powercut"
# Types that all file formats of AnnData can store.
STORABLE = (str, bool, int, float, np.integer, np.floating)
# What a fit estimates or decides; the last three only with the likelihood.
ESTIMATED = (
    "tradeoff",
    "concentration",
    "discount",
    "description_length",
    "degree_corrected",
    "weights",
)


def cluster(
    adata: Any,
    *,
    key_added: str = DEFAULT_KEY,
    restrict_to: tuple[str, list[str]] | None = None,
    adjacency: Any = None,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    use_weights: bool = True,
    random_state: Any = 0,
    copy: bool = False,
    **parameters: Any,
) -> Any:
    """Cluster cells by their neighbour graph, as a replacement for ``scanpy.tl.leiden``.

    Run ``scanpy.pp.neighbors`` first. There is no resolution to set: the number of clusters is
    estimated.

    Parameters
    ----------
    adata : anndata.AnnData
        Annotated data with a neighbour graph.
    key_added : str, default="powercut"
        Column of ``adata.obs`` for the clusters, and entry of ``adata.uns``. The column of the
        margins has ``"_margin"`` added.
    restrict_to : tuple of str and list of str, optional
        A column of ``adata.obs`` and some of its categories: only cells in these are
        clustered. Other cells keep their categories; the default key is then ``"powercut_R"``.
    adjacency : sparse matrix of shape (n_obs, n_obs), optional
        Graph to use instead of the one in `adata`.
    neighbors_key : str, optional
        The ``key_added`` that was passed to ``scanpy.pp.neighbors``.
    obsp : str, optional
        Entry of ``adata.obsp`` that holds the graph; excludes `neighbors_key`.
    use_weights : bool, default=True
        Whether to use edge weights; if False, all edges have weight 1.
    random_state : int, RandomState instance or None, default=0
        Determines the order of moves.
    copy : bool, default=False
        Whether to leave `adata` unchanged and return a copy with the clusters.
    **parameters
        Parameters of `powercut.PowerLawCut`, such as ``tradeoff`` (larger means coarser) or
        ``n_jobs``; ``score="modularity", tradeoff=0, resolution=...`` is the objective of Leiden.

    Returns
    -------
    None or AnnData
        ``adata.obs[key_added]``
            The clusters as a categorical, ``"0"`` the largest.
        ``adata.obs[f"{key_added}_margin"]``
            How clearly each cell belongs to its cluster: log posterior odds, in nats, against the
            best other cluster. NaN for cells that were not clustered.
        ``adata.uns[key_added]["clusters"]``, ``["sizes"]``, ``["evidence"]``
            For each cluster its category, its number of cells, and the evidence for it: log
            posterior odds, in nats, against merging it with the best other cluster.
        ``adata.uns[key_added]["params"]``
            The parameters.
        ``adata.uns[key_added]["tradeoff"]``, ...
            What was estimated, under the names that `powercut.PowerLawCut` has for it:
            ``tradeoff``, ``concentration`` and ``discount``; and with the likelihood
            ``description_length``, ``degree_corrected`` and ``weights``.

    Examples
    --------
    >>> import numpy as np
    >>> from anndata import AnnData
    >>> from powercut import neighbors, scanpy
    >>> from powercut.datasets import make_blobs
    >>> X, _ = make_blobs(300, n_features=8, random_state=0)
    >>> adata = AnnData(X)
    >>> adata.obsp["connectivities"] = neighbors.graph(X).adjacency
    >>> scanpy.cluster(adata)
    >>> list(adata.obs["powercut"].cat.categories[:3])
    ['0', '1', '2']
    >>> unsure = adata.obs_names[adata.obs["powercut_margin"] < np.log(20)]
    >>> doubtful = adata.uns["powercut"]["clusters"][adata.uns["powercut"]["evidence"] < 5]
    """
    import pandas as pd

    if adjacency is None:
        adjacency = _graph(adata, neighbors_key, obsp)
    adata = adata.copy() if copy else adata
    inside = np.ones(adata.n_obs, dtype=np.bool_)
    kept: list[str] = []
    if restrict_to is not None:
        column, chosen = restrict_to
        inside = _chosen(adata, column, chosen)
        adjacency = sparse.csr_array(adjacency)[inside][:, inside]
        key_added = f"{key_added}_R" if key_added == DEFAULT_KEY else key_added
        kept = [c for c in adata.obs[column].cat.categories if c not in chosen]
    if not use_weights:
        adjacency = sparse.csr_array(adjacency) != 0
    model = GraphFit(random_state=random_state, **parameters).fit(Graph.wrap(adjacency))
    prefix = "" if restrict_to is None else "-".join(restrict_to[1]) + ","
    found = [f"{prefix}{label}" for label in range(model.n_clusters_)]
    values = np.empty(adata.n_obs, dtype=object)
    values[inside] = np.array(found, dtype=object)[model.labels_]
    if restrict_to is not None:
        values[~inside] = adata.obs[restrict_to[0]].astype(str)[~inside]
    margins = np.full(adata.n_obs, np.nan)
    margins[inside] = model.margins_
    adata.obs[key_added] = pd.Categorical(values, categories=[*kept, *found])
    adata.obs[f"{key_added}_margin"] = margins
    given = {"random_state": random_state, "use_weights": use_weights, **parameters}
    adata.uns[key_added] = {
        "params": {name: value for name, value in given.items() if isinstance(value, STORABLE)},
        "clusters": np.array(found),
        "sizes": model.cluster_sizes_,
        "evidence": model.cluster_evidence_,
        **{name: getattr(model, f"{name}_") for name in ESTIMATED if hasattr(model, f"{name}_")},
    }
    return adata if copy else None


def _graph(adata: Any, neighbors_key: str | None, obsp: str | None) -> Any:
    """Return the neighbour graph of an AnnData."""
    if obsp is not None and neighbors_key is not None:
        raise ValueError(
            f"both obsp={obsp!r} and neighbors_key={neighbors_key!r} were given; pass only one."
        )
    if obsp is None:
        stored = adata.uns.get(neighbors_key or "neighbors", {})
        if neighbors_key is not None and not stored:
            raise KeyError(
                f"adata.uns has no {neighbors_key!r}; run "
                f"scanpy.pp.neighbors(adata, key_added={neighbors_key!r}) first."
            )
        obsp = stored.get("connectivities_key", "connectivities")
    if obsp not in adata.obsp:
        raise KeyError(
            f"adata.obsp has no {obsp!r}, only {sorted(adata.obsp)}; run "
            "scanpy.pp.neighbors(adata) first."
        )
    return adata.obsp[obsp]


def _chosen(adata: Any, column: str, categories: list[str]) -> npt.NDArray[np.bool_]:
    """Mark the cells of some categories."""
    known = list(adata.obs[column].cat.categories)
    for category in categories:
        if category not in known:
            raise ValueError(
                f"{category!r} is not a category of adata.obs[{column!r}]; there are {known}."
            )
    return np.asarray(adata.obs[column].isin(categories))
