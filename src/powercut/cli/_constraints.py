"""Files of what is known of the clusters: labels and pairs of nodes, or of points."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common


def add_constraints(
    parser: argparse.ArgumentParser, description: str | None = None, *, kind: str = "nodes"
) -> None:
    """Add the files of what is known of the clusters of nodes, or of points."""
    group = parser.add_argument_group("constraints", description)
    group.add_argument(
        "--fixed",
        metavar="FILE",
        help=f"labels of some {kind}: those with the same label share a cluster, others do not; "
        f"-1 for {kind} that are free",
    )
    group.add_argument(
        "--must-link",
        metavar="FILE",
        help=f"pairs of {kind} that share a cluster, as edges",
    )
    group.add_argument(
        "--cannot-link", metavar="FILE", help=f"pairs of {kind} that share no cluster, likewise"
    )


def add_prior_labels(parser: argparse.ArgumentParser, description: str | None = None) -> None:
    """Add the file of labels that may be wrong."""
    group = parser.add_argument_group("prior labels", description)
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
    """Read what is known of the clusters of nodes with these names; None if they have numbers."""
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
