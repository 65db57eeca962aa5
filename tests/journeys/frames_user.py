# /// script
# dependencies = ["powercut[io]", "polars"]
# [tool.journey]
# page = "docs/start.md"
# ///
"""A data engineer: Parquet in, a polars frame of labels out, joined and written."""

import polars as pl
from steps import answer, check
from steps import powercut as command

import powercut

ids = [f"customer-{i:03d}" for i in range(60)]
pairs = [(u, v) for i, u in enumerate(ids) for j, v in enumerate(ids) if i < j and (i % 3 == j % 3)]
edges = pl.DataFrame(
    {
        "day": ["2024-01-01"] * (len(pairs) + 1),
        "payer": [u for u, _ in pairs] + [ids[0]],
        "payee": [v for _, v in pairs] + [ids[1]],
        "amount": [1 + i % 7 for i in range(len(pairs) + 1)],
    }
)
edges.write_parquet("payments.parquet")

frame = pl.read_parquet("payments.parquet")
said = answer(lambda: powercut.PowerLawCut().fit(frame))
check("a table of four columns is answered", "Graph.from_edges" in said)
graph = powercut.Graph.from_edges(frame, source="payer", target="payee", weight="amount")
model = powercut.PowerLawCut(random_state=0).fit(graph)
labels = model.labels_frame_
check("labels in polars", isinstance(labels, pl.DataFrame))
check("three groups", labels["cluster"].n_unique() == 3)
joined = frame.join(labels, left_on="payer", right_on="node")
check("joined by name", joined.height == frame.height)
joined.write_parquet("clustered.parquet")

columns = ("--columns", "payer", "payee", "amount")
command("cluster", "payments.parquet", *columns, "-o", "labels.parquet", "--quiet")
written = pl.read_parquet("labels.parquet")
check("the shell agrees", written.height == len(ids))
two = frame.select("payer", "payee")
check("two columns as they are", powercut.PowerLawCut(random_state=0).fit(two).n_clusters_ == 3)
