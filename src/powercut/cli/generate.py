"""``powercut generate``: make synthetic data with planted clusters."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common

KINDS = ("blocks", "paper", "blobs")
# Of graph folders, as in `powercut.disk.write_blocks`.
ENCODINGS = ("plain", "gaps")
# Mean degree of block graphs, as in `powercut.datasets.make_block_graph`.
DEGREE = 20.0
EXAMPLES = """
powercut generate blocks --nodes 2000 -o graph.txt --truth truth.tsv
powercut generate paper --nodes 1000 -o graph.npz
powercut generate blobs --nodes 1000 --features 2 > points.csv
powercut generate blocks --edges 1e5 -o graph.folder
powercut generate blocks --edges 1e5 --encoding gaps -o gaps.folder
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
        type=_count,
        metavar="N",
        help="number of nodes or points; default: 10000",
    )
    parser.add_argument(
        "--edges",
        type=_count,
        metavar="N",
        help="in place of --nodes: about how many edges; for blocks",
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
    _common.add_output(parser, "data", ("edges", "text", "npz", "npy", "folder"))
    parser.add_argument(
        "--encoding",
        choices=ENCODINGS,
        help="how a folder stores neighbours: plain, or as gaps in fewer bytes; default: plain",
    )
    parser.add_argument("--truth", metavar="FILE", help="write the planted labels to FILE")
    return parser


def _count(text: str) -> int:
    """Return a whole number, also of a text such as 1e9."""
    number = float(text)
    if not number.is_integer():
        raise argparse.ArgumentTypeError(f"invalid whole number: {text!r}")
    return int(number)


def run(arguments: argparse.Namespace) -> int:
    """Make the data and write them."""
    for path in (arguments.output, arguments.truth):
        _common.check_output(path)
    from powercut import io

    given = _given(arguments)
    output = _common.target(arguments.output)
    is_folder = _is_folder(arguments)
    if arguments.encoding is not None and not (arguments.kind == "blocks" and is_folder):
        raise ValueError("--encoding is an option of blocks that are written to a folder")
    if arguments.kind == "blocks" and is_folder:
        labels = _write_blocks(arguments, given)
    else:
        data, labels = _make(arguments.kind, given)
        write = io.write_points if arguments.kind == "blobs" else io.write_graph
        write(output, data, format=arguments.output_format)
    if arguments.truth is not None:
        io.write_labels(_common.target(arguments.truth), labels)
    return 0


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a generator."""
    takes = {"blocks": {"degree", "mixing", "edges"}, "paper": set(), "blobs": {"features"}}
    for name in ("degree", "mixing", "edges", "features"):
        if getattr(arguments, name) is not None and name not in takes[arguments.kind]:
            raise ValueError(f"--{name} is not an option of {arguments.kind}")
    if arguments.edges is not None and arguments.nodes is not None:
        raise ValueError("--nodes and --edges exclude each other; --degree relates them")
    names = {"features": "n_features"}
    given = {
        names.get(name, name): getattr(arguments, name)
        for name in ("concentration", "discount", "degree", "mixing", "features")
        if getattr(arguments, name) is not None
    }
    n = 10_000 if arguments.nodes is None else arguments.nodes
    if arguments.edges is not None:
        n = max(1, round(2 * arguments.edges / given.setdefault("degree", DEGREE)))
    return {"n": n, "random_state": arguments.seed, **given}


def _is_folder(arguments: argparse.Namespace) -> bool:
    if arguments.output_format is None:
        return str(arguments.output).endswith(".folder")
    return bool(arguments.output_format == "folder")


def _write_blocks(arguments: argparse.Namespace, given: dict[str, Any]) -> Any:
    """Write a block graph to a folder, edge by edge; return the planted labels."""
    from powercut.datasets import write_block_graph

    if arguments.output in (None, _common.STANDARD):
        raise ValueError("a folder is written to a path: name it by --output")
    with _common.progress_bar(quiet=False) as progress:
        encoding = arguments.encoding or "plain"
        return write_block_graph(arguments.output, encoding=encoding, progress=progress, **given)


def _make(kind: str, given: dict[str, Any]) -> tuple[Any, Any]:
    from powercut import PitmanYor, datasets

    if kind == "blocks":
        return datasets.make_block_graph(**given)
    if kind == "blobs":
        return datasets.make_blobs(**given)
    # A number of clusters around its expectation.
    prior = PitmanYor(given.get("concentration", 1.0), given.get("discount", 0.2))
    k = prior.expected_clusters(given["n"])
    reach = (max(1, round(0.7 * k)), round(1.4 * k) + 1)
    return datasets.make_paper_graph(n_clusters=reach, **given)
