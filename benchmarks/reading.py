"""Measure reading an edge list from text: as a graph by powercut, as columns by pyarrow.csv.

    python benchmarks/reading.py --edges 100000000

Each reader has its own process, with one thread and, for pyarrow, also with all threads. Columns:
seconds, CPU seconds, peak memory and memory of the result.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

MEASURE = """
import resource, sys, time
{imports}
path = sys.argv[1]
began, worked = time.perf_counter(), time.process_time()
{read}
seconds, processor = time.perf_counter() - began, time.process_time() - worked
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(f"{{seconds:10.2f}} {{processor:10.2f}} {{peak:10.2f}} {{size / 2**30:10.2f}}")
"""
PYARROW = (
    "table = csv.read_csv(path, csv.ReadOptions(column_names=['u', 'v'], use_threads={}), "
    "csv.ParseOptions(delimiter='\\t'))\nsize = table.nbytes"
)
READERS = {
    "powercut": (
        "from powercut.io import read_graph",
        "graph = read_graph(path).graph\n"
        "size = sum(array.nbytes for array in graph.arrays if array is not None)",
    ),
    "pyarrow, one thread": ("from pyarrow import csv", PYARROW.format("False")),
    "pyarrow, all threads": ("from pyarrow import csv", PYARROW.format("True")),
}


def write_edges(path: Path, n_edges: int) -> None:
    """Write random edges, ten per node."""
    random = np.random.default_rng(0)
    n_nodes = max(10, n_edges // 10)
    with open(path, "w") as file:
        for start in range(0, n_edges, 1_000_000):
            ends = random.integers(0, n_nodes, size=(min(1_000_000, n_edges - start), 2)).tolist()
            file.write("".join(f"{u}\t{v}\n" for u, v in ends))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--quick", action="store_true", help="use 100,000 edges")
    arguments = parser.parse_args()
    n_edges = 100_000 if arguments.quick else arguments.edges
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.tsv"
        write_edges(path, n_edges)
        print(f"{n_edges:,} edges, {path.stat().st_size / 2**20:.0f} MiB")
        print(f"{'':22}{'seconds':>10} {'CPU':>10} {'peak GiB':>10} {'result GiB':>10}")
        for name, (imports, read) in READERS.items():
            program = MEASURE.format(imports=imports, read=read)
            done = subprocess.run(
                [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
            )
            print(f"{name:22}{done.stdout}", end="", flush=True)


if __name__ == "__main__":
    main()
