# /// script
# dependencies = ["powercut", "scanpy", "igraph"]
# [tool.journey]
# page = "docs/cells.md"
# ///
"""scanpy's Leiden replaced, and the result written to h5ad."""

import anndata
import scanpy as sc
from sklearn.datasets import load_digits
from steps import answer, check
from steps import powercut as command

import powercut

digits = load_digits()
cells = anndata.AnnData(digits.data[:800].astype("float32"))
cells.obs["type"] = digits.target[:800].astype(str)
cells.write_h5ad("raw.h5ad")

adata = sc.read_h5ad("raw.h5ad")
sc.pp.pca(adata, n_comps=20)
sc.pp.neighbors(adata, random_state=0)
sc.tl.leiden(adata, flavor="igraph", n_iterations=2, random_state=0)
powercut.scanpy.cluster(adata)
own = sc.metrics.confusion_matrix("type", "powercut", adata.obs, normalize=False)
found = own.max(axis=0).sum() / len(adata.obs)
check(f"{own.shape[1]} clusters, {found:.0%} of the cells with their own type", found > 0.8)
check("margins", (adata.obs["powercut_margin"] > 0).mean() > 0.9)
check("evidence", len(adata.uns["powercut"]["evidence"]) == own.shape[1])
sc.tl.rank_genes_groups(adata, "powercut", method="t-test")
check("scanpy goes on with them", "rank_genes_groups" in adata.uns)
said = answer(lambda: powercut.scanpy.cluster(adata, resolution=1.0))
check("resolution is answered", "resolution" in said)
adata.write_h5ad("clustered.h5ad")
again = sc.read_h5ad("clustered.h5ad")
check("read back", again.obs["powercut"].equals(adata.obs["powercut"]))
command("cluster", "clustered.h5ad", "-o", "clusters.tsv", "--quiet")
