r"""
Normalized cuts with a free number of clusters
==============================================

See how the shift :math:`\rho` of the paper's normalized cut changes the number of clusters. The
shift is the gain of each cluster or, if negative, its cost. At zero and above, the graph is split
into fragments; at -1 it is not split. In between, from -0.2 to -0.05 here, the cut finds most of
the planted clusters. See :doc:`/shift` for why.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from powercut import PowerLawCut
from powercut.datasets import make_paper_graph

graph, truth = make_paper_graph(800, n_clusters=(7, 10), random_state=1)
shifts = np.array([-1.0, -0.8, -0.6, -0.4, -0.3, -0.2, -0.1, -0.05, 0.0, 0.1])
models = [PowerLawCut("ncut", shift=shift, random_state=0).fit(graph) for shift in shifts]
clusters = [model.n_clusters_ for model in models]
nmi = [normalized_mutual_info_score(truth, model.labels_) for model in models]

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), layout="constrained", sharex=True)
above.semilogy(shifts, clusters, "o-")
above.axhline(truth.max() + 1, color="grey", linestyle="--", label="planted")
above.set_ylabel("clusters")
above.legend()
below.plot(shifts, nmi, "o-")
below.set(xlabel=r"shift $\rho$", ylabel="NMI with the planted clusters", ylim=(-0.05, 1.05))
plt.show()

# %%
# The default score has no shift:

model = PowerLawCut(random_state=0).fit(graph)
print(
    f"likelihood: {model.n_clusters_} clusters, "
    f"NMI {normalized_mutual_info_score(truth, model.labels_):.3f}"
)
