"""The tables of the two UCI experiments, from the scores of all methods."""

from collections.abc import Mapping, Sequence

from powercut.reproduce._protocol import Scores
from powercut.reproduce._section import Cell, Table


def comparison(
    name: str,
    caption: str,
    results: Sequence[Scores],
    *,
    ours: Sequence[str],
    others: Mapping[str, str | None],
    paper: Mapping[str, Mapping[str, float]],
) -> Table:
    """Return the mean NMI of all methods next to the paper's results.

    Parameters
    ----------
    ours : sequence of str
        Our methods.
    others : mapping
        The other methods, each with the key of the paper's result for it, or None.
    paper : mapping
        The paper's results by data set.
    """
    columns = ["data set", "classes", *ours, "our best", "paper: ours"]
    for method, theirs in others.items():
        columns += [method] if theirs is None else [method, f"paper: {theirs}"]
    rows: list[list[Cell]] = []
    marked = set()
    for i, scores in enumerate(results):
        best, _ = scores.best(ours)
        figures = paper[scores.name]
        row: list[Cell] = [scores.name, f"{scores.n_classes:.1f}", *map(scores.mean, ours)]
        row += [best, figures["ours"]]
        if best >= figures["ours"]:
            marked.add((i, 2 + len(ours)))
        for method, theirs in others.items():
            row += [scores.mean(method)]
            if theirs is not None:
                row += [figures[theirs]]
        rows.append(row)
    return Table(name, caption, columns, rows, marked)


def details(name: str, caption: str, results: Sequence[Scores], methods: Sequence[str]) -> Table:
    """Return the number of clusters and the adjusted mutual information of all methods."""
    columns = ["data set", "classes", "NMI of singletons"]
    columns += [f"{method}: {what}" for method in methods for what in ("k", "AMI")]
    rows: list[list[Cell]] = []
    for scores in results:
        row: list[Cell] = [scores.name, f"{scores.n_classes:.1f}", scores.singletons]
        for method in methods:
            k = scores.mean(method, "n_clusters")
            row += [None if k is None else f"{k:.1f}", scores.mean(method, "ami")]
        rows.append(row)
    return Table(name, caption, columns, rows)


def verdict(
    results: Sequence[Scores],
    ours: Sequence[str],
    rival: str,
    paper: Mapping[str, Mapping[str, float]],
) -> str:
    """Count the data sets where our best is at or above the paper's result, and above a rival."""
    bests = {scores.name: scores.best(ours)[0] for scores in results}
    below = [name for name, best in bests.items() if best < paper[name]["ours"]]
    beaten = [s.name for s in results if bests[s.name] <= (s.mean(rival) or 0.0)]
    return (
        f"Our best method is at or above the paper's own result on {len(bests) - len(below)} of "
        f"{len(bests)} data sets{_exceptions(below)}, and above {rival} in the same runs on "
        f"{len(bests) - len(beaten)} of {len(bests)}{_exceptions(beaten)}."
    )


def _exceptions(names: Sequence[str]) -> str:
    return f" (not on {', '.join(names)})" if names else ""
