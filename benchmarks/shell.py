"""Compare the time of the command `powercut cluster` with that of pyarrow.csv and the fit alone.

    python benchmarks/shell.py

The command starts Python, imports, reads a million edges from text, fits and writes. It is compared
with reading the columns by `pyarrow.csv` in one thread, and with the fit, both measured after
imports and, for the fit, after reading. All three alternate, each in its own process; the
shortest of several times counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from powercut.datasets import make_block_graph
from powercut.io import write_graph

MEASURE = """
import sys, time
{imports}
began, worked = time.perf_counter(), time.process_time()
{work}
print(time.perf_counter() - began, time.process_time() - worked)
"""
COLUMNS = MEASURE.format(
    imports="from pyarrow import csv",
    work="csv.read_csv(sys.argv[1], csv.ReadOptions(column_names=['u', 'v'], use_threads=False), "
    "csv.ParseOptions(delimiter='\\t'))",
)
FIT = MEASURE.format(
    imports="from powercut import PowerLawCut, io\ngraph = io.read_graph(sys.argv[1]).graph",
    work="PowerLawCut(random_state=0).fit(graph)",
)
Times = tuple[float, float]  # wall time and CPU time


def inside(program: str, edges: Path) -> Times:
    """Return the times that a program prints for its work."""
    command = [sys.executable, "-c", program, str(edges)]
    seconds, processor = subprocess.check_output(command, text=True).split()
    return float(seconds), float(processor)


def process_times(command: list[str]) -> Times:
    """Return the times of a process, from start to exit."""
    before, began = os.times(), time.perf_counter()
    subprocess.run(command, check=True)
    seconds, after = time.perf_counter() - began, os.times()
    user = after.children_user - before.children_user
    return seconds, user + after.children_system - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100_000, help="nodes, with ten edges each")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="use 2,000 nodes, once")
    arguments = parser.parse_args()
    n_nodes, repeats = (2000, 1) if arguments.quick else (arguments.nodes, arguments.repeats)
    with tempfile.TemporaryDirectory() as folder:
        edges, labels = Path(folder) / "edges.txt", Path(folder) / "labels.tsv"
        graph, _ = make_block_graph(n_nodes, random_state=0)
        write_graph(edges, graph)
        command = [sys.executable, "-m", "powercut.cli", "cluster", str(edges), "-o", str(labels)]
        works = {
            "powercut cluster": lambda: process_times([*command, "--quiet"]),
            "fit alone": lambda: inside(FIT, edges),
            "pyarrow.csv": lambda: inside(COLUMNS, edges),
        }
        taken: dict[str, list[Times]] = {name: [] for name in works}
        for _ in range(repeats):
            for name, work in works.items():
                taken[name].append(work())
    print(f"{graph.n_edges:,} edges{'':16}{'seconds':>10} {'CPU':>10}")
    least = {name: [min(times) for times in zip(*taken[name], strict=True)] for name in works}
    for name, (seconds, processor) in least.items():
        print(f"{name:22}{seconds:10.2f} {processor:10.2f}")
    command_times, *others = least.values()
    ratios = [one / sum(parts) for one, *parts in zip(command_times, *others, strict=True)]
    print(f"{'ratio':22}{ratios[0]:10.2f} {ratios[1]:10.2f}")


if __name__ == "__main__":
    main()
