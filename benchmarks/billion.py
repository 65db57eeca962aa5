"""Fit a thousand million edges from a graph folder, within a hard limit of memory.

    python benchmarks/billion.py                          # 10^9 edges, 10^8 nodes, 16 GiB
    python benchmarks/billion.py --millions 250 --gib 5 --threads 1 2
    python benchmarks/billion.py --folder DIR             # keeps the graph in DIR, or takes it
    python benchmarks/billion.py --quick

The graph has Pitman-Yor sizes, mixing 0.2 and a mean degree near 20. Every step has its own
process. Its peak of resident memory, including libraries and mapped files, is VmHWM of Linux; the
limit of a fit is enforced if this process may make a cgroup, where the cache of the files counts
too. A page fault is major if the page came from disk. The exit status is 1 if a limit is exceeded,
if NMI is below 0.99, or if labels depend on the number of threads.
"""

import argparse
import resource
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from _experiments import Labels, header, markdown
from _limits import forget_files, hard_limit
from _measure import Cost, in_child, measure, peak_memory
from powercut import PowerLawCut
from powercut.datasets import write_block_graph
from powercut.disk import open_blocks
from powercut.progress import Progress

GIB = 2**30
DEGREE, MIXING, SEED = 20.0, 0.2, 1
LEAST_NMI = 0.99
TRUTH = "truth.npy"


@dataclass
class Stages:
    """Seconds of each stage, as progress reports tell them; each is printed when it ends."""

    seconds: dict[str, float] = field(default_factory=dict)
    _last: tuple[str, float] = ("", 0.0)

    def __call__(self, report: Progress) -> None:
        """Note a report."""
        stage, since = self._last
        self.seconds[stage] = self.seconds.get(stage, 0.0) + report.seconds - since
        if report.stage != stage and stage:
            print(f"  {stage}: {self.seconds[stage]:.0f} s", file=sys.stderr, flush=True)
        self._last = report.stage, report.seconds


@dataclass(frozen=True)
class Run:
    """Cost of a step; `peak` is that of all resident memory of the process."""

    cost: Cost
    peak: int
    major_faults: int
    is_enforced: bool = False
    labels: Labels | None = None


def generate(folder: Path, n: int) -> Run:
    labels, cost = measure(
        lambda: write_block_graph(
            folder / "graph",
            n,
            degree=DEGREE,
            mixing=MIXING,
            random_state=SEED,
            progress=Stages(),
        )
    )
    np.save(folder / TRUTH, labels)
    return Run(cost, peak_memory(), major_faults())


def check(folder: Path) -> Run:
    """Open the graph, which compares every byte with its checksum."""
    _, cost = measure(lambda: open_blocks(folder / "graph"))
    return Run(cost, peak_memory(), major_faults())


def fit(folder: Path, threads: int, limit: int) -> Run:
    forget_files(folder / "graph")
    model = PowerLawCut(random_state=0, n_jobs=threads, progress=Stages())
    with hard_limit(limit) as is_enforced:
        _, cost = measure(lambda: model.fit(folder / "graph"))
        peak = peak_memory()
    return Run(cost, peak, major_faults(), is_enforced, model.labels_)


def major_faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt


def nmi(one: Labels, other: Labels) -> float:
    """Return the normalised mutual information; scikit-learn's needs 50 bytes per node."""
    pairs = one.astype(np.int64) << 32 | other
    pairs.sort()
    joint = np.diff(np.flatnonzero(np.diff(pairs)), prepend=-1, append=len(pairs) - 1)
    of_one, of_other, of_both = (
        entropy(counts) for counts in (np.bincount(one), np.bincount(other), joint)
    )
    shared = of_one + of_other - of_both
    return float(2 * shared / (of_one + of_other)) if of_one + of_other > 0 else 1.0


def entropy(counts: np.ndarray) -> float:
    """Return the entropy of a distribution in nats."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


COLUMNS = ("step", "threads", "seconds", "CPU", "peak, MiB", "limit, MiB", "major faults")


def show(step: str, threads: int, run: Run, limit: int | None = None) -> bool:
    cap = "" if limit is None else f"{limit >> 20}{'' if run.is_enforced else ', not enforced'}"
    figures = f"{run.cost.seconds:.1f}", f"{run.cost.cpu:.1f}", str(run.peak >> 20), cap
    print(markdown([step, str(threads), *figures, str(run.major_faults)]), flush=True)
    return limit is None or run.peak <= limit


def measured(folder: Path, n: int, threads: list[int], limit: int) -> bool:
    """Print the cost of each step; return whether all is as it should be."""
    print(header(COLUMNS), flush=True)
    if not (folder / TRUTH).exists():
        show("generate", 1, in_child(generate, folder, n))
    show("check", 1, in_child(check, folder))
    good, labels = True, []
    for number in threads:
        run = in_child(fit, folder, number, limit)
        good = show("fit", number, run, limit) and good
        labels.append(run.labels)
    graph, truth = open_blocks(folder / "graph"), np.load(folder / TRUTH)
    same = all(np.array_equal(labels[0], other) for other in labels[1:])
    share = nmi(truth, labels[0])
    print(
        f"\n{graph.n_nodes:,} nodes, {graph.n_entries // 2:,} edges, {truth.max() + 1:,} clusters "
        f"planted, {labels[0].max() + 1:,} found, NMI {share:.5f}"
    )
    if len(threads) > 1:
        print("labels are equal for all numbers of threads" if same else "LABELS DIFFER")
    return good and same and share >= LEAST_NMI


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--millions", type=float, default=1000, help="million edges")
    parser.add_argument("--gib", type=float, default=16, help="limit of the memory of a fit")
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--folder", type=Path, help="folder of the graph, made if it is not there")
    parser.add_argument("--scratch", type=Path, help="folder for temporary files, 24 B per edge")
    parser.add_argument("--quick", action="store_true", help="fit a graph of 50,000 edges")
    options = parser.parse_args()
    millions, threads = (0.05, [1, 2]) if options.quick else (options.millions, options.threads)
    n, limit = round(2e6 * millions / DEGREE), int(options.gib * GIB)
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(exist_ok=True)
        good = measured(folder, n, threads, limit)
    if not good:
        sys.exit("a limit was exceeded, labels differ, or NMI is low")


if __name__ == "__main__":
    main()
