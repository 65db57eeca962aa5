"""``powercut cluster``: cluster the nodes of a graph."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common, _constraints

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
    _constraints.add_constraints(parser)
    _constraints.add_prior_labels(parser)
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
    _common.check_input(arguments.graph, *_constraints.constraint_files(arguments))
    _common.check_output(arguments.output)
    _common.check_output_format(arguments, to_standard=not arguments.json)
    clock = _common.Clock()
    # PowerLawCut would import scikit-learn, which takes as long as clustering a million edges.
    from powercut.estimators._graph_fit import GraphFit

    clock.note("start")
    graph, names = _common.read_graph(arguments)
    graph.names = names
    known = _constraints.read_constraints(arguments, names)
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
