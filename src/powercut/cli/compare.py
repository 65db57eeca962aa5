"""``powercut compare``: measure the agreement of two partitions."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import Any

from powercut.cli import _common

EXAMPLES = """
powercut generate blocks --nodes 2000 -o graph.txt --truth truth.tsv
powercut cluster graph.txt -o labels.tsv
powercut compare labels.tsv truth.tsv --common
powercut compare labels.tsv truth.tsv --common --json
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "compare",
        "compare two sets of labels",
        description="Compare two partitions. All measures are 1 for equal partitions; adjusted\n"
        "measures are 0 on average for random ones. If both files have names, labels are\n"
        "matched by name, and the names must be the same.",
        examples=EXAMPLES,
    )
    parser.add_argument("labels", metavar="LABELS", help="label file; - for standard input")
    parser.add_argument("truth", metavar="TRUTH", help="label file to compare with")
    parser.add_argument(
        "--common", action="store_true", help="compare only names that are in both files"
    )
    _common.add_max_bytes(parser)
    _common.add_json(parser, "print JSON")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, compare and print."""
    _common.check_input(arguments.labels, arguments.truth)
    from sklearn import metrics

    from powercut import io
    from powercut.partition import compact_labels
    from powercut.progress import ProgressReporter
    from powercut.results.comparison import agreement, is_nested

    one, other = matched(
        io.read_labels(_common.source(arguments.labels), max_bytes=arguments.max_bytes),
        io.read_labels(_common.source(arguments.truth), max_bytes=arguments.max_bytes),
        common=arguments.common,
    )
    (one, k_one), (other, k_other) = compact_labels(one), compact_labels(other)
    measures = {
        "adjusted_mutual_information": agreement,
        "normalized_mutual_information": metrics.normalized_mutual_info_score,
        "adjusted_rand_index": metrics.adjusted_rand_score,
        "homogeneity": lambda one, other: metrics.homogeneity_score(other, one),
        "completeness": lambda one, other: metrics.completeness_score(other, one),
        "nested": is_nested,
    }
    summary = {"n": len(one), "n_clusters": k_one, "n_clusters_truth": k_other}
    with (
        _common.progress_bar(quiet=False) as progress,
        closing(ProgressReporter(progress)) as reporter,
    ):
        for name, measure in reporter.each(measures.items(), of=len(measures), stage="measures"):
            summary[name] = measure(one, other)
    if arguments.json:
        _common.print_json(summary)
        return 0
    for name, value in summary.items():
        shown = f"{value:.4f}" if isinstance(value, float) else f"{value}"
        print(f"{name.replace('_', ' '):32}{shown}")
    return 0


def matched(one: Any, other: Any, *, common: bool) -> tuple[Any, Any]:
    """Return both arrays of labels, matched by name and of a sortable type."""
    import numpy as np

    labels = [_sortable(each.labels) for each in (one, other)]
    if one.names is None or other.names is None:
        if len(labels[0]) != len(labels[1]):
            raise ValueError(
                f"the files have {len(labels[0])} and {len(labels[1])} labels, and no names to "
                "match them by"
            )
        if common:
            raise ValueError("--common has no effect on files without names")
        return labels[0], labels[1]
    these, those = one.names.astype(str), other.names.astype(str)
    for each in (these, those):
        values, counts = np.unique(each, return_counts=True)
        if counts.max() > 1:
            raise ValueError(f"{str(values[counts.argmax()])!r} is labelled more than once")
    unmatched = np.setxor1d(these, those, assume_unique=True)
    if len(unmatched) and not common:
        raise ValueError(
            f"{len(unmatched)} names are in one file only, such as {str(unmatched[0])!r}; pass "
            "--common to compare only names that are in both"
        )
    _, first, second = np.intersect1d(these, those, assume_unique=True, return_indices=True)
    return labels[0][first], labels[1][second]


def _sortable(labels: Any) -> Any:
    return labels.astype(str) if labels.dtype == object else labels
