"""Algorithm 1 of "Power-Law Graph Cuts" on the paper's graph, over a grid of its parameters.

Started from one cluster, as in the paper, it ends with one cluster or with singletons,
for any shift (rho) and tradeoff (lambda). Local moves on the same objective, with a
negative shift, find the planted clusters. docs/shift.md explains why, and shows this
output:

    python experiments/collapse.py            # 4,000 nodes, some minutes
    python experiments/collapse.py --quick    # 500 nodes, seconds
"""

import argparse
import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score

from powercut import Graph, PowerLawCut
from powercut.datasets import make_paper_graph
from powercut.partition import Labels

SHIFTS = (0.0, 0.05, 0.1, 0.5, 1.0)
TRADEOFFS = (1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1)
NEGATIVE_SHIFTS = (-0.05, -0.1, -0.15, -0.2, -0.3)
SMALL_TRADEOFFS = (1e-5, 3e-5, 1e-4, 3e-4)
MAX_PASSES = 30


def run(graph: Graph, truth: Labels, shift: float, tradeoff: float, *, algorithm: str) -> str:
    """Return the number of clusters found, and their agreement with the planted ones."""
    model = PowerLawCut(
        "ncut",
        shift=shift,
        tradeoff=tradeoff,
        concentration=1.0,
        discount=0.2,
        algorithm=algorithm,
        max_iter=MAX_PASSES if algorithm == "lloyd" else None,
        connected=algorithm == "multilevel",  # leaves the result of Algorithm 1 unchanged
        random_state=0,
    )
    with warnings.catch_warnings():
        # Near k = n, passes keep exchanging singletons; the outcome is clear by then.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = model.fit(graph).labels_
    nmi = normalized_mutual_info_score(truth, labels)
    return f"{model.n_clusters_} ({nmi:.2f})"


def table(
    graph: Graph,
    truth: Labels,
    shifts: tuple[float, ...],
    tradeoffs: tuple[float, ...],
    *,
    algorithm: str,
) -> None:
    """Print a Markdown table with one row per shift and one column per tradeoff."""
    print("| shift | " + " | ".join(f"λ = {t:g}" for t in tradeoffs) + " |")
    print("|---" * (len(tradeoffs) + 1) + "|")
    for shift in shifts:
        cells = [run(graph, truth, shift, tradeoff, algorithm=algorithm) for tradeoff in tradeoffs]
        print(f"| {shift:g} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use 500 nodes and a coarser grid")
    quick = parser.parse_args().quick
    if quick:
        graph, truth = make_paper_graph(500, n_clusters=(5, 9), random_state=1)
    else:
        graph, truth = make_paper_graph(random_state=1)
    every = slice(None, None, 2 if quick else 1)
    print(f"{graph}, {truth.max() + 1} planted clusters. Cells: clusters found (NMI).\n")
    print("Algorithm 1, from one cluster:\n")
    table(graph, truth, SHIFTS[every], TRADEOFFS[every], algorithm="lloyd")
    print("\nExact moves, negative shift:\n")
    table(graph, truth, NEGATIVE_SHIFTS[every], SMALL_TRADEOFFS[every], algorithm="multilevel")


if __name__ == "__main__":
    main()
