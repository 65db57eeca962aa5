# /// script
# dependencies = ["powercut", "igraph"]
# [tool.journey]
# page = "docs/from_leiden.md"
# ///
"""Leiden of igraph replaced, vertex names kept; the habits of Leiden are answered."""

import random

import igraph as ig
from steps import answer, check

import powercut

random.seed(0)
ig.Graph.Famous("Zachary").write_ncol("club.ncol", names=None, weights=None)
g = ig.Graph.Read_Ncol("club.ncol", directed=False)
g.vs["name"] = [f"member {name}" for name in g.vs["name"]]

before = g.community_leiden(objective_function="modularity")
model = powercut.PowerLawCut(random_state=0).fit(g)
check("as many labels as vertices", len(model.labels_) == g.vcount() == len(before.membership))
check("the two of the club", model.cluster_sizes_.tolist() == [18, 16])
clusters = powercut.community(g, random_state=0)
check("sets of names", "member 0" in clusters[0] | clusters[1])
after = ig.VertexClustering(g, model.labels_.tolist())
check("igraph takes them", after.modularity > 0.35)

same = powercut.PowerLawCut("modularity", tradeoff=0, resolution=1, random_state=0).fit(g)
check("Leiden's objective", g.modularity(same.labels_.tolist()) >= before.modularity - 1e-9)
said = answer(lambda: powercut.PowerLawCut(resolution=0.5).fit(g))
check("resolution needs its score", "modularity" in said)
said = answer(lambda: powercut.PowerLawCut(resolution_parameter=0.5))
check("leidenalg's name", 'PowerLawCut("modularity", resolution=0.5)' in said)
check("seed", "random_state=3" in answer(lambda: powercut.PowerLawCut(seed=3)))
tree = powercut.cluster_tree(g, random_state=0, prune=False)
check(f"{tree.n_levels} scales in place of a sweep", tree.n_levels > 2)
directed = g.as_directed()
check("directed", "as_undirected(" in answer(lambda: powercut.community(directed)))
