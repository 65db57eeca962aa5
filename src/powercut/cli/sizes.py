"""``powercut sizes``: describe the distribution of cluster sizes."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common

EXAMPLES = """
powercut generate blocks --nodes 2000 -o graph.txt --truth truth.tsv
powercut sizes truth.tsv
powercut cluster graph.txt --quiet | powercut sizes - --json
"""


TOP = 10


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "sizes",
        "describe the distribution of cluster sizes",
        description="Describe the cluster sizes: the largest sizes, the fitted Pitman-Yor prior,\n"
        "and the power law of the tail, compared with log-normal and exponential.",
        examples=EXAMPLES,
    )
    parser.add_argument("labels", metavar="LABELS", help="label file; - for standard input")
    parser.add_argument(
        "--format",
        choices=_common.LABEL_FORMATS,
        help="format of LABELS; default: by its suffix, else text",
    )
    _common.add_max_bytes(parser)
    parser.add_argument(
        "--top", type=int, metavar="N", help=f"number of sizes to list; default: {TOP}"
    )
    _common.add_json(parser, "print JSON, with all sizes")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, fit and print."""
    if arguments.json and arguments.top is not None:
        raise ValueError("--top has no effect with --json, which prints all sizes")
    top = TOP if arguments.top is None else arguments.top
    _common.check_input(arguments.labels)
    from powercut import io, size_distribution
    from powercut.partition import compact_labels

    labels, _ = io.read_labels(
        _common.source(arguments.labels), format=arguments.format, max_bytes=arguments.max_bytes
    )
    found = size_distribution(compact_labels(_sortable(labels))[0])
    sizes, tail = found.sizes, found.power_law
    if arguments.json:
        _common.print_json(
            {
                "input": arguments.labels,
                "n": int(sizes.sum()),
                "n_clusters": len(sizes),
                "concentration": found.prior.concentration,
                "discount": found.prior.discount,
                "power_law": None if tail is None else _tail(tail),
                "sizes": sizes,
            }
        )
        return 0
    print(f"{int(sizes.sum()):,} items in {len(sizes):,} clusters")
    print("largest   ", *(f"{size:,}" for size in sizes[:top]))
    print(
        f"Pitman-Yor concentration {found.prior.concentration:.4g}, "
        f"discount {found.prior.discount:.4g}"
    )
    if tail is None:
        print("power law  none: all clusters have the same size")
        return 0
    print(
        f"power law  exponent {tail.exponent:.4g} from size {tail.smallest:,} on "
        f"({tail.n_tail:,} clusters), Kolmogorov-Smirnov distance {tail.distance:.3g}"
    )
    for name in ("lognormal", "exponential"):
        against = getattr(tail, f"against_{name}")
        better = "better than" if against.log_ratio > 0 else "worse than"
        verdict = better if against.p_value < 0.1 else "indistinguishable from"
        print(f"           {verdict} {name} (p = {against.p_value:.2g})")
    return 0


def _sortable(labels: Any) -> Any:
    return labels.astype(str) if labels.dtype == object else labels


def _tail(tail: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(tail)
