"""
Communities of a networkx graph
===============================

Find communities of the characters of *Les Misérables*, with the number of their meetings as edge
weights. `powercut.community` takes a networkx (or igraph) graph and returns sets of its nodes, the
largest first.
"""

import matplotlib.pyplot as plt
import networkx as nx

import powercut
from powercut import plot

G = nx.les_miserables_graph()
communities = powercut.community(G, random_state=0)
for members in communities:
    central = sorted(members, key=lambda node: (-G.degree(node), node))
    print(len(members), ", ".join(central[:6]))

# %%
# The estimator itself also has the margin of each node in nats: how certain its label is.

model = powercut.PowerLawCut(random_state=0).fit(G)
margins = dict(zip(G, model.margins_, strict=True))
for name in sorted(margins, key=margins.get)[:5]:
    print(f"{name:12s} has a margin of {margins[name]:.1f} nats only")

# %%
# Colours and numbers are the communities; names are those of the characters with most neighbours.

position = nx.spring_layout(G, seed=3, k=0.35, iterations=100)
points = [position[node] for node in G]

figure, ax = plt.subplots(figsize=(9, 7), layout="constrained")
nx.draw_networkx_edges(G, position, alpha=0.25, ax=ax)
plot.embedding(points, model.labels_, ax=ax)
ax.set_title(f"{len(G)} characters in {len(communities)} communities")
names = {node: node for node in G if G.degree(node) > 14}
nx.draw_networkx_labels(G, position, names, font_size=9, verticalalignment="bottom", ax=ax)
plt.show()
