# /// script
# dependencies = ["powercut"]
# [tool.journey]
# page = "docs/start.md"
# ///
"""A user's own file, in the first minute; nothing else is installed."""

from pathlib import Path

from steps import answer, check, powercut, run

TEAMS = {"red": "abcdefgh", "blue": "ijklmn", "grey": "opqrs"}
edges = [(u, v) for team in TEAMS.values() for u in team for v in team if u < v]
lines = [f"{u},{v},{1 + (ord(u) + ord(v)) % 3}" for u, v in [*edges, ("a", "i"), ("m", "s")]]
Path("calls.csv").write_text("\n".join(["caller,called,times", *lines]) + "\n")

done = run("cluster", "calls.csv", "-o", "clusters.csv")
check("one line says what was found", "3 clusters, largest 8" in done.stderr)
rows = [line.split(",") for line in Path("clusters.csv").read_text().splitlines()[1:]]
check(
    "every name has its cluster", sorted(name for name, _ in rows) == sorted("abcdefghijklmnopqrs")
)

import powercut as package  # noqa: E402 (after the first partition, as users do)

said = answer(lambda: package.PowerLawCut().fit("calls.csv"))
check("fit of a file names the reader", "powercut.io.read_graph('calls.csv').graph" in said)
graph = package.io.read_graph("calls.csv").graph
model = package.PowerLawCut(progress=True, random_state=0).fit(graph)
found = dict(zip(model.node_names_, model.labels_.tolist(), strict=True))
check("Python finds the same", found == {name: int(label) for name, label in rows})
check("a bar is shown without tqdm", model.n_clusters_ == 3)
clusters = package.community(graph, random_state=0)
check("sets of names", clusters == [set(team) for team in TEAMS.values()])

said = answer(lambda: package.PowerLawCut(n_clusters=2))
check("who sets k is told that it is found", "found, not set" in said)
labels = package.cluster_tree(graph, random_state=0).cut(n_clusters=2)
check("and gets two from the tree", labels.max() + 1 == 2)

said = run("cluster", "calls.txt").stderr
check("a file that is not there is named", "calls.txt" in said)
said = run("report", "calls.csv", "-o", "report.html").stderr
check("what the report needs is named", 'pip install "powercut[plot]"' in said)
said = answer(lambda: model.labels_frame_)
check("what a table needs is named", "pandas" in said)
check("help has examples", "powercut cluster graph.txt" in powercut("cluster", "--help"))
