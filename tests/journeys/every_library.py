# /// script
# dependencies = ["powercut[plot,io]", "igraph", "polars"]
# [tool.journey]
# page = "docs/interoperability.md"
# ///
"""From a gzipped list of edges to labels and a report; then the same graph in every form.

It comes from scipy, networkx, igraph, polars and AnnData, and always has the same clusters.
"""

import gzip
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from steps import check, powercut

Labels = npt.NDArray[np.integer[Any]]


def by_command_line(edges: Path, truth: Path, folder: Path) -> Labels:
    """Go from a list of edges to labels, measures and a report; return names and labels."""
    summary = json.loads(powercut("cluster", edges, "-o", folder / "labels.tsv", "--json"))
    table = np.loadtxt(folder / "labels.tsv", dtype=np.int64)
    nodes = np.unique(np.loadtxt(edges, dtype=np.int64))
    check("a line for each node that has an edge", np.array_equal(table[:, 0], nodes))
    check("clusters as summed up", table[:, 1].max() + 1 == summary["n_clusters"])
    check("sizes are told", "discount" in powercut("sizes", folder / "labels.tsv", "--json"))
    compared = json.loads(powercut("compare", folder / "labels.tsv", truth, "--common", "--json"))
    nmi = compared["normalized_mutual_information"]
    check(f"NMI {nmi:.3f} with what was planted", nmi > 0.9)
    powercut("report", edges, "-o", folder / "report.html", "--title", "The journey")
    page = (folder / "report.html").read_text()
    check("the report has its title", "The journey" in page)
    check("the report has pictures", page.count("<img") + page.count("<svg") > 1)
    elsewhere = re.findall(r"""(?:src|href)=["'](?!data:|#)[^"']+""", page)
    check("the report needs no other file", not elsewhere)
    return table.T


def by_python(edges: Path, nodes: Labels) -> dict[str, Labels]:
    """Bring the same graph along in every form, and return the labels of each."""
    import anndata
    import igraph
    import networkx as nx
    import polars as pl
    import scipy.sparse as sp

    from powercut import PowerLawCut, community, io, scanpy

    n = len(nodes)
    u, v = np.searchsorted(nodes, np.loadtxt(edges, dtype=np.int64).T)
    pairs = np.concatenate([u, v]), np.concatenate([v, u])
    A = sp.csr_array((np.ones(2 * len(u)), pairs), shape=(n, n))
    model = PowerLawCut(random_state=0)
    found = {"scipy": model.fit_predict(A)}

    G = nx.from_scipy_sparse_array(A)
    found["networkx"] = model.fit_predict(G)
    sets = community(G, random_state=0)
    check("sets of nodes", [len(nodes) for nodes in sets] == model.cluster_sizes_.tolist())
    served = nx.community.leiden_communities(G, seed=0, backend="powercut")
    check("networkx's backend", sum(map(len, served)) == n)

    found["igraph"] = model.fit_predict(igraph.Graph(n=n, edges=np.column_stack([u, v])))

    frame = pl.DataFrame({"from": u, "to": v})
    found["polars"] = model.fit_predict(io.read_graph(frame).graph)

    adata = anndata.AnnData(np.zeros((n, 1), dtype=np.float32))
    adata.obsp["connectivities"] = A
    scanpy.cluster(adata)
    found["AnnData"] = adata.obs["powercut"].astype(int).to_numpy()
    return found


def main() -> None:
    """Go the whole way, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, truth = folder / "graph.txt", folder / "truth.tsv"
        powercut("generate", "blocks", "--nodes", "2000", "-o", plain, "--truth", truth)
        edges = folder / "graph.txt.gz"
        edges.write_bytes(gzip.compress(plain.read_bytes()))
        nodes, labels = by_command_line(edges, truth, folder)
        for source, others in by_python(edges, nodes).items():
            check(f"{source} has the same clusters", np.array_equal(others, labels))


if __name__ == "__main__":
    main()
