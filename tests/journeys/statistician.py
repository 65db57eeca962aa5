# /// script
# dependencies = ["powercut[plot]"]
# [tool.journey]
# page = "docs/reading_the_result.md"
# ///
"""How certain the result is, whether sizes follow a power law, and that it is the same again."""

from pathlib import Path

import numpy as np
from steps import answer, check
from steps import powercut as command

import powercut

command("generate", "blocks", "--nodes", "2000", "-o", "graph.txt", "--truth", "truth.tsv")
graph = powercut.io.read_graph("graph.txt").graph
model = powercut.PowerLawCut(random_state=0).fit(graph)
check("margins in nats", (model.margins_ > 2).mean() > 0.8)
check("evidence in nats", len(model.cluster_evidence_) == model.n_clusters_)
coarser = powercut.PowerLawCut(tradeoff=4.0, random_state=0).fit(graph)
check("shorter than a coarser one", model.description_length_ < coarser.description_length_)

sizes = powercut.size_distribution(model.labels_)
prior = powercut.PitmanYor.fit(model.cluster_sizes_)
check(f"concentration {prior.concentration:.1f}, discount {prior.discount:.2f}", prior.discount < 1)
check("against log-normal", 0 <= sizes.power_law.against_lognormal.p_value <= 1)
ax = powercut.plot.rank_size(model.labels_)
ax.figure.savefig("sizes.png")
check("a picture", Path("sizes.png").stat().st_size > 1000)

powercut.save("model.npz", model=model)
same = powercut.load("model.npz")
check("saved and loaded", np.array_equal(same.labels_, model.labels_))
again = powercut.PowerLawCut(random_state=0, n_jobs=2).fit(graph)
check("the same again, in two threads", np.array_equal(again.labels_, model.labels_))
path = powercut.tradeoff_path(graph, random_state=0)
check("the path has plateaus", path.plateaus()[0].persistence > 0)
said = answer(lambda: powercut.PowerLawCut(tradeof=2.0))
check("a misspelt parameter is answered by the names", "tradeoff" in said)
powercut.report.write_report("report.html", model=model, data=graph)
check("a report to send", "<html" in Path("report.html").read_text())
