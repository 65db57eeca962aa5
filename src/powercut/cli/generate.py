"""``powercut generate``: make synthetic data with planted clusters."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common

KINDS = ("blocks", "paper", "blobs")
EXAMPLES = """
powercut generate blocks --nodes 2000 -o graph.txt --truth truth.tsv
powercut generate paper --nodes 1000 -o graph.npz
powercut generate blobs --nodes 1000 --features 2 > points.csv
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "generate",
        "make synthetic data with planted clusters",
        description="Make synthetic data with Pitman-Yor cluster sizes: a sparse stochastic block\n"
        "model graph (blocks), the dense graph of the paper (paper), or Gaussian clusters\n"
        "(blobs).",
        examples=EXAMPLES,
    )
    parser.add_argument("kind", choices=KINDS, help="kind of data to make")
    parser.add_argument(
        "--nodes",
        type=int,
        default=10_000,
        metavar="N",
        help="number of nodes or points; default: 10000",
    )
    parser.add_argument("--degree", type=float, metavar="NUMBER", help="mean degree; for blocks")
    parser.add_argument(
        "--mixing",
        type=float,
        metavar="SHARE",
        help="share of edges between different clusters; for blocks",
    )
    parser.add_argument("--features", type=int, metavar="N", help="number of features; for blobs")
    for name in ("concentration", "discount"):
        parser.add_argument(
            f"--{name}", type=float, metavar="NUMBER", help=f"{name} of the size prior"
        )
    _common.add_seed(parser)
    _common.add_output(parser, "data", ("edges", "text", "npz", "npy"))
    parser.add_argument("--truth", metavar="FILE", help="write the planted labels to FILE")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Make the data and write them."""
    for path in (arguments.output, arguments.truth):
        _common.check_output(path)
    from powercut import io

    data, labels = _make(arguments)
    output = _common.target(arguments.output)
    if arguments.kind == "blobs":
        io.write_points(output, data, format=arguments.output_format)
    else:
        io.write_graph(output, data, format=arguments.output_format)
    if arguments.truth is not None:
        io.write_labels(_common.target(arguments.truth), labels)
    return 0


def _make(arguments: argparse.Namespace) -> tuple[Any, Any]:
    from powercut import PitmanYor, datasets

    takes = {"blocks": {"degree", "mixing"}, "paper": set(), "blobs": {"features"}}[arguments.kind]
    for name in ("degree", "mixing", "features"):
        if getattr(arguments, name) is not None and name not in takes:
            raise ValueError(f"--{name} is not an option of {arguments.kind}")
    names = {"concentration", "discount", *takes}
    given = {
        {"features": "n_features"}.get(name, name): getattr(arguments, name)
        for name in names
        if getattr(arguments, name) is not None
    }
    if arguments.kind == "blocks":
        return datasets.make_block_graph(arguments.nodes, random_state=arguments.seed, **given)
    if arguments.kind == "blobs":
        return datasets.make_blobs(arguments.nodes, random_state=arguments.seed, **given)
    # A number of clusters around its expectation.
    prior = PitmanYor(given.get("concentration", 1.0), given.get("discount", 0.2))
    k = prior.expected_clusters(arguments.nodes)
    reach = (max(1, round(0.7 * k)), round(1.4 * k) + 1)
    return datasets.make_paper_graph(
        arguments.nodes, n_clusters=reach, random_state=arguments.seed, **given
    )
