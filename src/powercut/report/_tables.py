"""The tables and key figures of a report."""

from typing import Any

import numpy as np

from powercut.graphs.graph import Graph
from powercut.graphs.tree import ClusterTree
from powercut.report._html import facts, paragraph, table
from powercut.report._subject import FEW_CLUSTERS, Subject
from powercut.results.sizes import Comparison, SizeDistribution

# Largest clusters with a row each, and members named in that row.
N_LARGEST, N_MEMBERS = 20, 5
# Log Bayes factor of odds of 20 to 1, in nats: from here on an assignment is certain.
CERTAIN = np.log(20)


def summary(subject: Subject) -> str:
    """Return the key figures of the partition."""
    model, n = subject.model, subject.n
    sizes = model.cluster_sizes_
    n_singletons = int(np.count_nonzero(sizes == 1))
    n_half = _n_for_half(sizes)
    values = {
        subject.kind: f"{n:,}",
        "clusters": f"{model.n_clusters_:,}",
        "largest cluster": f"{sizes[0]:,} ({sizes[0] / n:.1%})",
        f"half of all {subject.kind} in": f"{n_half:,} cluster" + "s" * (n_half > 1),
        "singletons": f"{n_singletons:,}",
    }
    if hasattr(model, "description_length_"):
        values["description length"] = f"{model.description_length_:,.0f} nats"
    if getattr(model, "stopped_early_", False):  # not in models of earlier versions
        values["search"] = "stopped early"
    if not hasattr(model, "why_"):
        return facts(values)
    values["found by"] = {"gaussian": "Gaussians"}.get(model.route_, model.route_)
    n_outliers = int(np.count_nonzero(~subject.assigned))
    if n_outliers:
        values["outliers"] = f"{n_outliers:,} ({n_outliers / n:.1%})"
    return facts(values) + paragraph(model.why_)


def data(subject: Subject) -> str:
    """Return what is known of the data, or an empty string."""
    rows = []
    if subject.vectors is not None:
        n, d = subject.vectors.shape
        rows.append(("vectors", f"{n:,} of {d:,} features"))
    if subject.graph is not None:
        graph = subject.graph
        degrees = graph.degrees
        rows += [
            ("edges", f"{graph.n_edges:,}"),
            ("weights", _weights(graph)),
            ("isolated nodes", f"{np.count_nonzero(graph.isolated):,}"),
            ("median degree", _number(np.median(degrees))),
            ("largest degree", _number(degrees.max())),
            ("weight inside clusters", f"{_inside_share(subject):.1%}"),
        ]
    return table((), rows) if rows else ""


def size_fits(sizes: SizeDistribution) -> str:
    """Return the distributions fitted to the cluster sizes."""
    rows = [
        ("Pitman-Yor concentration", f"{sizes.prior.concentration:.4g}"),
        ("Pitman-Yor discount", f"{sizes.prior.discount:.3f}"),
    ]
    if len(sizes.sizes) < FEW_CLUSTERS:
        return table((), rows) + paragraph(
            f"A power law is not fitted to the sizes of fewer than {FEW_CLUSTERS} clusters."
        )
    tail = sizes.power_law
    if tail is not None:
        rows += [
            ("power law: exponent", f"{tail.exponent:.3f}"),
            ("power law: from size", f"{tail.smallest:,}"),
            ("power law: clusters in the tail", f"{tail.n_tail:,}"),
            ("power law: Kolmogorov-Smirnov distance", f"{tail.distance:.3f}"),
            ("power law against log-normal", _verdict(tail.against_lognormal, "log-normal")),
            ("power law against exponential", _verdict(tail.against_exponential, "exponential")),
        ]
    return table((), rows)


def confidence(subject: Subject) -> str:
    """Return the distribution of the margins of labels, and the evidence for clusters."""
    margins, evidence = subject.model.margins_, subject.model.cluster_evidence_
    parts = {
        "negative: kept in its cluster for connectivity": margins < 0,
        "uncertain (0 to 3 nats)": (margins >= 0) & (margins < CERTAIN),
        "certain (3 nats or more: odds of 20 to 1)": margins >= CERTAIN,
    }
    n_certain = int(np.count_nonzero(evidence >= CERTAIN))
    text = (
        f"{n_certain:,} of {len(evidence):,} clusters have at least 3 nats of evidence against "
        "merging them with the best candidate."
    )
    counts = [
        (name, f"{np.count_nonzero(part):,}", f"{part.mean():.1%}") for name, part in parts.items()
    ]
    header = (f"margin of {subject.kind} to the second-best cluster", subject.kind, "share")
    return f"{table(header, counts, numbers=(1, 2))}\n{paragraph(text)}"


def largest(subject: Subject) -> str:
    """Return a table with one row for each of the largest clusters."""
    model = subject.model
    header = ["cluster", "size", "share", "evidence (nats)", "median margin (nats)"]
    if subject.inside is not None:
        header.append("weight inside")
    rows = []
    for c in range(min(model.n_clusters_, N_LARGEST)):
        members = np.flatnonzero(model.labels_ == c)
        row = [
            f"{c}",
            f"{len(members):,}",
            f"{len(members) / subject.n:.1%}",
            nats(model.cluster_evidence_[c]),
            nats(float(np.median(model.margins_[members]))),
        ]
        if subject.inside is not None:
            row.append("" if np.isnan(subject.inside[c]) else f"{subject.inside[c]:.0%}")
        top = members[np.argsort(-model.margins_[members], kind="stable")[:N_MEMBERS]]
        row.append(", ".join(subject.name(int(member)) for member in top))
        rows.append(row)
    rest = model.n_clusters_ - len(rows)
    note = paragraph(f"{rest:,} smaller clusters are not listed.") if rest else ""
    header.append(f"{subject.kind} of largest margin")
    return table(header, rows, numbers=range(1, len(header) - 1)) + note


def levels(tree: ClusterTree) -> str:
    """Return a table of the levels of a tree."""
    rows = [
        (
            f"{level}",
            f"{n:,}",
            f"{largest:,}",
            f"{nats:,.1f}",
            "fitted" * (level == tree.fitted_level),
        )
        for level, (n, largest, nats) in enumerate(tree.summary())
    ]
    header = ("level", "clusters", "largest", "nats", "")
    caption = "Nats are the most evidence for the division of a cluster of the level."
    return table(header, rows, caption=caption, numbers=(0, 1, 2, 3))


def parameters(model: Any) -> str:
    """Return the parameters as set, and their estimates where they were left open."""
    rows = []
    for name, value in model.get_params(deep=False).items():
        fitted = getattr(model, f"{name}_", None)
        used = "" if fitted is None else _short(fitted)
        rows.append((name, _short(value), used))
    if hasattr(model, "degree_corrected_"):
        rows.append(("degree_corrected", "", _short(model.degree_corrected_)))
    return table((f"parameter of {type(model).__name__}", "set", "used"), rows)


def _n_for_half(sizes: Any) -> int:
    """Return how many of the largest clusters hold half of all nodes or points."""
    return int(np.searchsorted(np.cumsum(sizes), sizes.sum() / 2)) + 1


def _inside_share(subject: Subject) -> float:
    assert subject.graph is not None
    assert subject.inside is not None
    graph = subject.graph
    volumes = np.bincount(subject.model.labels_, weights=graph.degrees)
    return float(np.nansum(subject.inside * volumes) / (graph.total_weight or 1.0))


def _weights(graph: Graph) -> str:
    """Return the range of the weights of edges."""
    if graph.weights is None or not len(graph.weights):
        return "all 1"
    least, most = _number(graph.weights.min()), _number(graph.weights.max())
    return f"all {most}" if least == most else f"{least} to {most}"


def _number(value: float) -> str:
    """Format a weight or a degree: whole if it is large, else by its first digits."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.4g}"


def _verdict(comparison: Comparison, other: str) -> str:
    p = f"p = {comparison.p_value:.2g}"
    if comparison.p_value > 0.1:
        return f"indistinguishable ({p})"
    return f"{'power law' if comparison.log_ratio > 0 else other} fits better ({p})"


def nats(value: float) -> str:
    """Format a margin or evidence."""
    return "infinite" if np.isinf(value) else f"{value:,.1f}"


def _short(value: Any) -> str:
    """Format the value of a parameter; arrays by their shape."""
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
