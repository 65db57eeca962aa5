"""Measure the quality of our clusters and those of the peers, and check the promises.

    python experiments/quality.py                              # all sections: hours
    python experiments/quality.py --only paper labelled        # some of them
    python experiments/quality.py --peers "igraph Leiden"      # beside some of the peers
    python experiments/quality.py --quick                      # small data, seconds
    python experiments/quality.py --csv NEW --reuse OLD        # peers' rows from an earlier run

Our estimators have default parameters, apart from the seed and the number of threads. Peers
are those of _peers.py that are installed (`pip install powercut[peers]`; graph-tool is
a package of the operating system). Each has a fixed seed and a time limit; skipped peers
are listed with the reason. The exit status is 1 if a promise is broken.

Columns: NMI (arithmetic mean), AMI and ARI with the known clusters; the number of clusters
found and, in brackets, known: of all clusters, and of those with ten members or more; clusters
of one node; the size distance, in doublings (see _measures.py); seconds of clustering, without
reading and conversion. Nodes without a known class are left out of all measures except
singletons.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import _quality_data as data
from _measures import LARGE, count_clusters, measure
from _peers import PEERS, VECTOR_PEERS, Answer, run_peer, write_problem
from _promises import Promise
from _quality_data import Case
from _real_data import Unavailable
from _results import (
    COLUMNS,
    OURS,
    Results,
    Row,
    Store,
    header,
    markdown,
    means_table,
    read_csv,
    repeats_table,
    row_line,
)
from _sections import SECTIONS, Section
from powercut import Graph, PowerLawCut, PowerLawMeans
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.description import describe
from powercut.partition import compact_labels

QUICK_LIMIT = 10.0  # seconds


@dataclass(frozen=True)
class Bench:
    """A run: its options, the output file and the results of an earlier run.

    A quick run calls the function of each peer once, on the first data of its type, as a
    smoke test.
    """

    options: argparse.Namespace
    store: Store
    earlier: Results
    called: set[Any] = field(default_factory=set)

    def run(self, name: str, section: Section) -> Results:
        """Run one section, print its tables, and return the rows."""
        print(f"\n## {name}\n\n{section.title}.\n")
        if not section.repeats:
            print(header(COLUMNS), flush=True)
        results, skipped = Results(), defaultdict[str, list[str]](list)
        for source in section.sources(quick=self.options.quick):
            if section.workloads:
                source = data.from_folder(self.options.folder, source)
            try:
                case = source.case()
            except Unavailable as unavailable:
                skipped[str(unavailable)].append(source.name)
                continue
            for row in self.rows(name, section, case, skipped):
                results.rows.append(row)
                self.store.add(row)
                if not section.repeats:
                    print(row_line(row), flush=True)
        if section.repeats:
            print(repeats_table(results))
        elif len(results.of(OURS)) > 1:
            print(f"\nMeans:\n\n{means_table(results)}")
        for reason, what in skipped.items():
            print(f"\nSkipped, {reason}: {'; '.join(dict.fromkeys(what))}.")
        return results

    def rows(
        self, name: str, section: Section, case: Case, skipped: dict[str, list[str]]
    ) -> Iterator[Row]:
        """Yield our row for a data set and those of the peers; list what is skipped, and why."""
        k, k_large = count_known(case.truth), count_known(case.truth, smallest=LARGE)

        def row(method: str, labels: Any, seconds: float, excess: float | None = None) -> Row:
            found = measure(case.truth, labels)
            return Row(name, case.name, method, k, k_large, found, seconds, excess)

        yield row(OURS, *fit(case, planted=section.planted))
        known = [
            one
            for one in self.earlier.section(name).rows
            if one.data == case.name and one.method != OURS
        ]
        if known:
            yield from known
            return
        n_edges = case.data.n_entries // 2 if isinstance(case.data, Graph) else 0
        with tempfile.TemporaryDirectory() as folder:
            problem = Path(folder) / "problem.npz"
            write_problem(problem, case.data, k)
            for peer in section.peers:
                if peer.name not in self.options.peers:
                    continue
                if (peer in VECTOR_PEERS) == isinstance(case.data, Graph):
                    continue
                function = getattr(peer.cluster, "func", peer.cluster)
                if self.options.quick and function in self.called:
                    continue
                self.called.add(function)
                if peer.max_edges is not None and n_edges > peer.max_edges:
                    reason = f"more than {peer.max_edges:,} edges"
                    skipped[reason].append(f"{peer.name} on {case.name}")
                    continue
                answer = run_peer(peer, problem, self.options.limit)
                if isinstance(answer, Answer):
                    yield row(peer.name, answer.labels, answer.seconds)
                elif answer.endswith("not installed"):
                    skipped[answer].append(peer.name)
                else:
                    skipped[answer].append(f"{peer.name} on {case.name}")


def count_known(truth: data.Labels, *, smallest: int = 1) -> int:
    return count_clusters(truth[truth >= 0], smallest=smallest)


def fit(case: Case, *, planted: bool) -> tuple[Any, float, float | None]:
    """Return our labels, the seconds, and for planted graphs the excess description length."""
    start = time.perf_counter()
    if not isinstance(case.data, Graph):
        labels = PowerLawMeans(n_jobs=-1, random_state=0).fit(case.data).labels_
        return labels, time.perf_counter() - start, None
    model = PowerLawCut(n_jobs=-1, random_state=0).fit(case.data)
    seconds = time.perf_counter() - start
    if not planted:
        return model.labels_, seconds, None
    truth = true_length(case.data, case.truth)
    return model.labels_, seconds, float(model.description_length_ / truth - 1)


def true_length(graph: Graph, truth: data.Labels) -> float:
    """Return the description length of a graph given its true clusters, by the better model."""
    labels, level = compact_labels(truth)[0], block_level(graph)
    models = [BlockModel.of(graph, degree_corrected=corrected) for corrected in (False, True)]
    return min(describe(graph, level, labels, model).nats for model in models)


def report(found: list[Promise]) -> bool:
    """Print the promises, and return whether none is broken."""
    if found:
        print(f"\n## Promises\n\n{header(('promise', 'measured', 'verdict'))}")
    for promise in found:
        print(markdown([promise.text, promise.figure, promise.verdict]))
    return all(promise.held is not False for promise in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS), metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="use small data")
    parser.add_argument("--folder", type=Path, help="read planted graphs and blobs from NAME.npz")
    parser.add_argument("--csv", type=Path, help="write the rows to this file")
    parser.add_argument("--reuse", type=Path, help="take the rows of peers from this CSV file")
    parser.add_argument("--limit", type=float, default=600.0, help="time limit per peer, seconds")
    options = parser.parse_args()
    if options.quick:
        options.limit = min(options.limit, QUICK_LIMIT)
    earlier = read_csv(options.reuse) if options.reuse else Results()
    found: list[Promise] = []
    with ExitStack() as stack:
        file = stack.enter_context(options.csv.open("w", newline="")) if options.csv else None
        bench = Bench(options, Store(file), earlier)
        print(f"# Quality, on {os.cpu_count()} cores")
        if options.quick:
            print("\nThis is a quick run: the data are much smaller than their names say.")
        for name in options.only:
            section = SECTIONS[name]
            results = bench.run(name, section)
            if results.rows:
                checks = section.quick_checks if options.quick else section.checks
                found += checks(results)
    if not report(found):
        sys.exit("a promise is broken")


if __name__ == "__main__":
    main()
