"""Rows of the tables of quality.py, as CSV and as Markdown."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TextIO

import numpy as np

from _measures import LARGE, Measures

OURS = "powercut"


@dataclass(frozen=True)
class Row:
    """The result of one method on one data set.

    Attributes
    ----------
    section, data, method : str
        Section, data set and method.
    true_k, true_k_large : int
        True number of clusters, and of those with ten members or more.
    measures : Measures
        Agreement with the truth.
    seconds : float
        Time of clustering, without reading and conversion.
    excess : float or None
        For our clusters of planted graphs: description length divided by that of the
        planted clusters, minus 1. Negative if ours is shorter.
    """

    section: str
    data: str
    method: str
    true_k: int
    true_k_large: int
    measures: Measures
    seconds: float
    excess: float | None = None


class Results:
    """Rows, selected by section and method."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = list(rows)

    def section(self, name: str) -> "Results":
        return Results(row for row in self.rows if row.section == name)

    def of(self, method: str) -> dict[str, Row]:
        """Return the rows of a method by data set."""
        return {row.data: row for row in self.rows if row.method == method}

    def methods(self) -> list[str]:
        """Return the methods in the order in which they appear."""
        return list(dict.fromkeys(row.method for row in self.rows))


MEASURES = tuple(field.name for field in fields(Measures))
CSV_COLUMNS = (
    *("section", "data", "method", "true_k", "true_k_large"),
    *(*MEASURES, "seconds", "excess"),
)


class Store:
    """A CSV file, to which each row is written at once; or no file."""

    def __init__(self, file: TextIO | None) -> None:
        self.file = file
        self.writer = csv.DictWriter(file, CSV_COLUMNS) if file else None
        if self.writer:
            self.writer.writeheader()

    def add(self, row: Row) -> None:
        if self.file and self.writer:
            flat = asdict(row)
            self.writer.writerow(flat | flat.pop("measures"))
            self.file.flush()


def read_csv(path: Path) -> Results:
    """Read a file written by `Store`."""
    rows = []
    with path.open(newline="") as file:
        for line in csv.DictReader(file):
            names = (line["section"], line["data"], line["method"])
            measures = Measures(
                nmi=float(line["nmi"]),
                ami=float(line["ami"]),
                ari=float(line["ari"]),
                k=int(line["k"]),
                k_large=int(line["k_large"]),
                size_distance=float(line["size_distance"]),
                singletons=int(line["singletons"]),
            )
            known = (int(line["true_k"]), int(line["true_k_large"]))
            excess = float(line["excess"]) if line["excess"] else None
            rows.append(Row(*names, *known, measures, float(line["seconds"]), excess))
    return Results(rows)


def markdown(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def header(columns: Sequence[str]) -> str:
    return markdown(columns) + "\n" + "|---" * len(columns) + "|"


COLUMNS = (
    *("data", "method", "NMI", "AMI", "ARI", "k (true)", f"k of {LARGE} or more (true)"),
    *("singletons", "size distance", "seconds"),
)


def row_line(row: Row) -> str:
    m = row.measures
    if row.true_k:
        numbers = [f"{m.nmi:.4f}", f"{m.ami:.4f}", f"{m.ari:.4f}"]
        counts = [f"{m.k} ({row.true_k})", f"{m.k_large} ({row.true_k_large})"]
        distance = f"{m.size_distance:.2f}"
    else:
        numbers, counts, distance = ["", "", ""], [str(m.k), str(m.k_large)], ""
    last = [str(m.singletons), distance, f"{row.seconds:.2f}"]
    return markdown([row.data, row.method, *numbers, *counts, *last])


def means_table(results: Results) -> str:
    """Return the means of each method over its data sets with known classes."""
    lines = [header(("method", "data sets", "NMI", "AMI", "ARI", "size distance", "seconds"))]
    for method in results.methods():
        rows = [row for row in results.of(method).values() if row.true_k]
        means = [
            f"{np.mean([getattr(row.measures, name) for row in rows]):.4f}"
            for name in ("nmi", "ami", "ari", "size_distance")
        ]
        seconds = np.mean([row.seconds for row in rows])
        lines.append(markdown([method, str(len(rows)), *means, f"{seconds:.2f}"]))
    return "\n".join(lines)


def is_exact(row: Row) -> bool:
    """Return whether the partition is the true one."""
    return row.measures.ari == 1.0


def repeats_table(results: Results) -> str:
    """Return how often each method found the true partition, over data sets named KIND/SEED."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in results.rows:
        groups[row.data.split("/")[0], row.method].append(row)
    lines = [header(("data", "method", "one cluster", "mean k", "mean true k", "seconds"))]
    for (kind, method), rows in groups.items():
        right = f"{sum(map(is_exact, rows))} of {len(rows)}"
        k, true_k = (
            f"{np.mean([row.measures.k for row in rows]):.1f}",
            f"{np.mean([row.true_k for row in rows]):.1f}",
        )
        seconds = f"{np.mean([row.seconds for row in rows]):.2f}"
        lines.append(markdown([kind, method, right, k, true_k, seconds]))
    return "\n".join(lines)
