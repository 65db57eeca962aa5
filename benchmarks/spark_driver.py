"""Cluster a graph on a local Spark cluster, within a hard limit of the driver's memory.

    python benchmarks/spark_driver.py                       # 100 million edges, 4 GiB
    python benchmarks/spark_driver.py --millions 10 --gib 2
    python benchmarks/spark_driver.py --quick

The cluster has a master and two workers of one core each, from the package pyspark, on this
machine. The graph has Pitman-Yor sizes, mixing 0.2 and a mean degree near 20; its edges are read
from a Parquet file. The driver, with its Java process, is in a cgroup that has this limit, if this
process may make one; the cache of the files that it reads counts too. Peaks are those of resident
memory (VmHWM of Linux), with libraries and mapped files. The exit status is 1 if NMI is below
0.99, or if the two peaks together are above the limit.
"""

import argparse
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
from pyarrow import parquet
from sklearn.metrics import normalized_mutual_info_score

from _limits import hard_limit
from _measure import in_child, peak_memory
from powercut.datasets import write_block_graph
from powercut.disk import open_blocks
from powercut.spark import cluster

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from spark_cluster import SparkCluster, connect

GIB = 2**30
DEGREE, MIXING, SEED = 20.0, 0.2, 1
LEAST_NMI = 0.99
# Entries of the matrix in a row group of the file.
AT_ONCE = 1 << 24
# Edges that one task sorts.
PER_TASK = 4_000_000


@dataclass(frozen=True)
class Driver:
    """What the driver needed; CPU seconds and peaks are those of Python and of Java."""

    seconds: float
    cpu: tuple[float, float]
    peak: tuple[int, int]
    is_enforced: bool


def write_edges(folder: Path, n: int) -> int:
    """Write each edge of a block graph once, and the planted clusters; return how many edges."""
    planted = write_block_graph(
        folder / "planted", n, degree=DEGREE, mixing=MIXING, random_state=SEED
    )
    graph = open_blocks(folder / "planted")
    schema, n_edges = pa.schema({"src": pa.int32(), "dst": pa.int32()}), 0
    with parquet.ParquetWriter(folder / "edges.parquet", schema) as file:
        row = 0
        while row < n:
            end = int(np.searchsorted(graph.indptr, graph.indptr[row] + AT_ONCE, side="right")) - 1
            end = max(row + 1, end)
            u = np.repeat(np.arange(row, end, dtype=np.int32), np.diff(graph.indptr[row : end + 1]))
            v = np.asarray(graph.indices[graph.indptr[row] : graph.indptr[end]], dtype=np.int32)
            once = u <= v
            file.write_table(pa.table({"src": u[once], "dst": v[once]}, schema=schema))
            n_edges += int(np.count_nonzero(once))
            row = end
    # A node without edges is in no list of edges.
    np.save(folder / "truth.npy", planted[np.diff(graph.indptr) > 0])
    shutil.rmtree(folder / "planted")
    return n_edges


def fit(url: str, folder: Path, n_parts: int, limit: int) -> Driver:
    """Cluster the edges in a session that this process drives."""
    with hard_limit(limit) as is_enforced:
        start = time.perf_counter()
        session = connect(url, spark_executor_memory="2g", spark_driver_memory="1g")
        edges = session.read.parquet((folder / "edges.parquet").as_uri())
        found = cluster(edges, folder=folder / "work", n_parts=n_parts, random_state=0, n_jobs=2)
        found.write.parquet((folder / "labels").as_uri())
        seconds = time.perf_counter() - start
        java = session.sparkContext._gateway.proc
        times = psutil.Process(java.pid).cpu_times()
        cpu = time.process_time(), times.user + times.system
        peak = peak_memory(), peak_memory(java.pid)
        session.stop()
        java.stdin.close()  # it ends, and leaves the cgroup
        java.wait()
    return Driver(seconds, cpu, peak, is_enforced)


def agreement(folder: Path) -> tuple[float, int]:
    """Return the agreement of the clusters found with those planted, and their number."""
    labels = parquet.read_table(folder / "labels").sort_by("id")["cluster"].to_numpy()
    truth = np.load(folder / "truth.npy")
    return float(normalized_mutual_info_score(truth, labels)), int(labels.max()) + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--millions", type=float, default=100, help="million edges")
    parser.add_argument("--gib", type=float, default=4, help="limit of the driver's memory")
    parser.add_argument("--quick", action="store_true", help="a graph of 20,000 edges")
    options = parser.parse_args()
    millions, limit = 0.02 if options.quick else options.millions, int(options.gib * GIB)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        n_edges = in_child(write_edges, folder, round(2e6 * millions / DEGREE))
        with SparkCluster(folder) as spark:
            driver = in_child(fit, spark.url, folder, 2 + n_edges // PER_TASK, limit)
        nmi, n_clusters = agreement(folder)
    python, java = (peak >> 20 for peak in driver.peak)
    cap = f"{limit >> 20} MiB{'' if driver.is_enforced else ', not enforced'}"
    print(
        f"{n_edges:,} edges, from Parquet to clusters: {driver.seconds:.0f} s; driver: "
        f"{driver.cpu[0]:.0f} s of CPU of Python and {driver.cpu[1]:.0f} of Java, peaks {python} "
        f"and {java} MiB (limit: {cap}); {n_clusters:,} clusters, NMI {nmi:.4f}"
    )
    if nmi < LEAST_NMI or sum(driver.peak) > limit:
        sys.exit("NMI is low, or the limit was exceeded")


if __name__ == "__main__":
    main()
