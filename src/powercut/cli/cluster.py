"""``powercut cluster``: cluster the nodes of a graph."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common

SCORES = ("likelihood", "ncut", "rcut", "rassoc", "modularity", "cpm")
EXAMPLES = """
powercut generate blocks --nodes 2000 -o graph.txt
powercut cluster graph.txt -o labels.tsv
gzip -c graph.txt | powercut cluster - --output-format csv > labels.csv
powercut cluster graph.txt --score modularity --tradeoff 1 -o labels.npz --json
powercut cluster graph.txt --fixed labels.tsv -o again.tsv
powercut cluster graph.txt --prior-labels labels.tsv --prior-nats 3 -o better.tsv
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "cluster",
        "cluster the nodes of a graph",
        description="Cluster the nodes of a graph; number and sizes of clusters are estimated.\n"
        "Write one line per node: its name and its cluster; cluster 0 is the largest.",
        examples=EXAMPLES,
    )
    _common.add_graph(parser)
    add_fit(parser)
    add_constraints(parser)
    add_prior_labels(parser)
    _common.add_output(parser, "labels", _common.LABEL_FORMATS)
    _common.add_json(
        parser, "print a summary in JSON; labels are then written only to the file of --output"
    )
    return parser


def add_fit(parser: argparse.ArgumentParser) -> None:
    """Add the options of `fit`."""
    group = _common.add_fit(parser, SCORES)
    group.add_argument(
        "--shift",
        type=float,
        metavar="NUMBER",
        help="shift of ncut, rcut and rassoc; default: -0.2",
    )
    group.add_argument(
        "--resolution",
        type=float,
        metavar="NUMBER",
        help="resolution of modularity and cpm; default: 1",
    )
    group.add_argument(
        "--min-size",
        type=int,
        metavar="N",
        help="join clusters with fewer nodes to neighbours",
    )
    group.add_argument("--max-size", type=int, metavar="N", help="divide clusters with more nodes")
    _common.add_quiet(parser)


def add_constraints(parser: argparse.ArgumentParser, description: str | None = None) -> None:
    """Add the files of what is known of the clusters."""
    group = parser.add_argument_group("constraints", description)
    group.add_argument(
        "--fixed",
        metavar="FILE",
        help="labels of some nodes: those with the same label share a cluster, others do not; -1 "
        "for nodes that are free",
    )
    group.add_argument(
        "--must-link",
        metavar="FILE",
        help="pairs of nodes that share a cluster, as edges",
    )
    group.add_argument(
        "--cannot-link", metavar="FILE", help="pairs of nodes that share no cluster, likewise"
    )


def add_prior_labels(parser: argparse.ArgumentParser) -> None:
    """Add the file of labels that may be wrong."""
    group = parser.add_argument_group("prior labels")
    group.add_argument(
        "--prior-labels",
        metavar="FILE",
        help="labels of some nodes, as for --fixed, that attract nodes but do not bind them",
    )
    group.add_argument(
        "--prior-nats",
        type=float,
        metavar="S",
        help="nats that it costs if a node is not in the cluster of its prior label: "
        "ln(q / (1 - q)) for labels that are right with probability q (default: 4.6, for .99)",
    )


def constraint_files(arguments: argparse.Namespace) -> list[str]:
    """Return the files of what is known of the clusters that were given."""
    names = ("fixed", "must_link", "cannot_link", "prior_labels")
    paths = (getattr(arguments, name, None) for name in names)
    return [path for path in paths if path is not None]


def read_constraints(arguments: argparse.Namespace, names: Any) -> dict[str, Any]:
    """Read what is known of the clusters of a graph with these names."""
    files = {name: getattr(arguments, name, None) for name in ("fixed", "prior_labels")}
    known = _read_labels({name: path for name, path in files.items() if path is not None}, names)
    if getattr(arguments, "prior_nats", None) is not None:
        known["prior_nats"] = arguments.prior_nats
    for name in ("must_link", "cannot_link"):
        path = getattr(arguments, name)
        if path is not None:
            known[name] = _read_pairs(path, names)
    return known


def _has_words(names: Any) -> bool:
    return names is not None and names.dtype == object


def _read_labels(paths: dict[str, str], names: Any) -> dict[str, Any]:
    """Read files of labels; the same word has the same number in all of them."""
    import numpy as np

    from powercut import io

    read = {name: io.read_labels(_common.source(path)) for name, path in paths.items()}
    words = [labels for labels, _ in read.values() if labels.dtype == object]
    if words and len(words) < len(read):
        raise ValueError("the labels of one file are words, and those of the other numbers")
    number = np.unique(np.concatenate(words)) if words else None
    known: dict[str, Any] = {}
    for name, (labels, nodes) in read.items():
        if number is not None:
            labels = np.searchsorted(number, labels)
        known[name] = labels if nodes is None else _by_node(paths[name], nodes, labels, names)
    return known


def _by_node(path: str, nodes: Any, labels: Any, names: Any) -> dict[Any, int]:
    """Return the label of each node; raise if a node has several."""
    import numpy as np

    if _has_words(names):
        nodes = nodes.astype(str)
    listed, times = np.unique(nodes, return_counts=True)
    if len(listed) < len(nodes):
        raise ValueError(f"{path}: there are several labels of the node {listed[times.argmax()]}")
    return dict(zip(nodes.tolist(), labels.tolist(), strict=True))


def _read_pairs(path: str, names: Any) -> Any:
    import numpy as np
    from scipy.sparse import triu

    from powercut import io

    ids = "names" if _has_words(names) else "numbers"
    pairs, nodes = io.read_graph(_common.source(path), ids=ids)
    ends = np.stack(triu(pairs.adjacency).tocoo().coords, axis=1)
    return ends if nodes is None else nodes[ends]


def fit(
    model: Any, arguments: argparse.Namespace, graph: Any, known: dict[str, Any] | None = None
) -> Any:
    """Fit a model of this class, with a progress bar, and return it.

    `known` are constraints of the fit.
    """
    with _common.progress_bar(arguments.quiet) as progress:
        return model(
            arguments.score,
            tradeoff="auto" if arguments.tradeoff is None else arguments.tradeoff,
            concentration=arguments.concentration,
            discount=arguments.discount,
            shift=arguments.shift,
            resolution=arguments.resolution,
            min_size=arguments.min_size,
            max_size=arguments.max_size,
            max_seconds=arguments.max_seconds,
            n_jobs=arguments.jobs,
            random_state=arguments.seed,
            progress=progress,
        ).fit(graph, **(known or {}))


def run(arguments: argparse.Namespace) -> int:
    """Read, fit and write."""
    _common.check_input(arguments.graph, *constraint_files(arguments))
    _common.check_output(arguments.output)
    _common.check_output_format(arguments, to_standard=not arguments.json)
    clock = _common.Clock()
    # PowerLawCut would import scikit-learn, which takes as long as clustering a million edges.
    from powercut.estimators._graph_fit import GraphFit

    clock.note("start")
    graph, names = _common.read_graph(arguments)
    graph.names = names
    known = read_constraints(arguments, names)
    clock.note("read")
    model = fit(GraphFit, arguments, graph, known)
    clock.note("fit")
    _common.write_labels(arguments, model.labels_, names)
    clock.note("write")
    if arguments.json:
        size = {
            "n_nodes": graph.n_nodes,
            "n_edges": graph.n_edges,
            "n_repeats": graph.n_repeats,
        }
        summary = {"input": arguments.graph, **size, **_common.fit_summary(model)}
        _common.print_json({**summary, "seconds": clock.seconds})
    elif not arguments.quiet:
        _common.print_summary(_common.describe_graph(graph), model, clock.seconds)
    return 0
