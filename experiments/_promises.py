"""The quality promises of the project, each with the measured value."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from _peers import DP_MEANS_PEERS, LEIDEN, RESOLUTIONS, resolution_name
from _real_data import PARTLY_SEEN
from _results import OURS, Results, Row, is_exact

ROUNDING = 1e-9  # difference by summing over clusters in another order


@dataclass(frozen=True)
class Promise:
    """A promise, the measured value, and whether it held; None if it could not be checked."""

    text: str
    figure: str
    held: bool | None

    @property
    def verdict(self) -> str:
        return {True: "held", False: "BROKEN", None: "not checked"}[self.held]


Checks = Callable[[Results], list[Promise]]


def at_least(text: str, value: float, least: float) -> Promise:
    return Promise(f"{text} >= {least:g}", f"{value:.4f}", value >= least)


def each_nmi(least: float) -> Checks:
    """Promise a smallest NMI on each data set of a section."""

    def check(results: Results) -> list[Promise]:
        rows = results.of(OURS).values()
        return [at_least(f"{row.data}: NMI", row.measures.nmi, least) for row in rows]

    return check


def paper(results: Results) -> list[Promise]:
    nmi = [row.measures.nmi for row in results.of(OURS).values()]
    mean, least = float(np.mean(nmi)), min(nmi)
    return [
        at_least("paper: mean NMI", mean, 0.99),
        at_least("paper: lowest NMI", least, 0.97),
    ]


def blocks_100k(results: Results) -> list[Promise]:
    promises = []
    ours = results.of(OURS)
    if (row := ours.get("blocks-100k-0.2")) is not None:
        apart = abs(row.measures.k_large - row.true_k_large)
        promises += [
            at_least(f"{row.data}: NMI", row.measures.nmi, 0.9995),
            Promise(
                f"{row.data}: clusters of ten or more within 1%",
                f"{row.measures.k_large} of {row.true_k_large}",
                apart <= 0.01 * row.true_k_large,
            ),
            _length(row, 0.0),
        ]
    if (row := ours.get("blocks-100k-0.4")) is not None:
        promises += [
            at_least(f"{row.data}: NMI", row.measures.nmi, 0.995),
            at_least(f"{row.data}: ARI", row.measures.ari, 0.99),
            _length(row, 0.0005),
        ]
    return promises


def _length(row: Row, most: float) -> Promise:
    text = f"{row.data}: description length over the truth's, at most {most:+.2%}"
    if row.excess is None:
        return Promise(text, "no description length", None)
    return Promise(text, f"{row.excess:+.4%}", row.excess <= most + ROUNDING)


def labelled(results: Results) -> list[Promise]:
    ours = results.of(OURS)
    promises = [at_least("labelled: mean AMI", _mean_ami(ours, ours), 0.555)]
    for peer in (method for method in results.methods() if method != OURS):
        theirs = results.of(peer)
        margin = 0.04 if peer == LEIDEN else 0.0
        gain = _mean_ami(ours, theirs) - _mean_ami(theirs, ours)
        held = gain >= margin if margin else gain > 0
        figure = f"{_mean_ami(ours, theirs):.4f} against {_mean_ami(theirs, ours):.4f}"
        above = f"{margin:g} above" if margin else "above"
        text = f"labelled: mean AMI {above} {peer}, {len(theirs)} graphs"
        promises.append(Promise(text, figure, held))
    text = "labelled: no AMI more than 0.03 below Leiden's"
    leiden = results.of(LEIDEN)
    if not leiden:
        return [*promises, Promise(text, f"no {LEIDEN}", None)]
    gain, worst = min(
        (ours[data].measures.ami - row.measures.ami, data) for data, row in leiden.items()
    )
    return [*promises, Promise(text, f"{gain:+.4f} on {worst}", gain >= -0.03)]


def unseen(results: Results) -> list[Promise]:
    """Promise a mean AMI above Leiden's, with and without the graphs that were partly seen.

    One small graph can make the difference, so the means without the largest gain are shown too.
    """
    ours, leiden = results.of(OURS), results.of(LEIDEN)
    strictly = {data: row for data, row in leiden.items() if data not in PARTLY_SEEN}
    promises = []
    for kind, theirs in (("all", leiden), ("without partly seen", strictly)):
        text = f"unseen: mean AMI 0.02 above {LEIDEN}, {kind}, {len(theirs)} labellings"
        if not theirs:
            promises.append(Promise(text, f"no {LEIDEN}", None))
            continue
        mean, other = _mean_ami(ours, theirs), _mean_ami(theirs, ours)
        figure = f"{mean:.4f} against {other:.4f}"
        best = max(theirs, key=lambda data: ours[data].measures.ami - theirs[data].measures.ami)
        rest = {data: row for data, row in theirs.items() if data != best}
        if rest:
            figure += f"; without {best} {_mean_ami(ours, rest):.4f} against "
            figure += f"{_mean_ami(rest, ours):.4f}"
        promises.append(Promise(text, figure, mean >= other + 0.02))
    return promises


def _mean_ami(rows: dict[str, Row], among: dict[str, Row]) -> float:
    """Return the mean AMI over the data sets that both have."""
    return float(np.mean([row.measures.ami for data, row in rows.items() if data in among]))


def neighbours(results: Results) -> list[Promise]:
    ours, leiden = results.of(OURS), results.of(LEIDEN)
    tried = [results.of(resolution_name(resolution)) for resolution in RESOLUTIONS]
    promises = []
    for data, row in ours.items():
        text = f"{data}: AMI within 0.02 of Leiden's best of {len(RESOLUTIONS)}"
        amis = [rows[data].measures.ami for rows in tried if data in rows]
        if len(amis) < len(RESOLUTIONS):
            promises.append(Promise(text, f"not every {LEIDEN}", None))
            continue
        best = max(amis)
        figure = f"{row.measures.ami:.4f} against {best:.4f}"
        promises.append(Promise(text, figure, row.measures.ami >= best - 0.02))
    text = "neighbours: mean AMI above Leiden's at resolution 1"
    if not leiden:
        return [*promises, Promise(text, f"no {LEIDEN}", None)]
    mean, theirs = _mean_ami(ours, leiden), _mean_ami(leiden, ours)
    return [*promises, Promise(text, f"{mean:.4f} against {theirs:.4f}", mean > theirs)]


def blobs(results: Results) -> list[Promise]:
    promises = []
    ours = results.of(OURS)
    if (row := ours.get("blobs-3")) is not None:
        promises.append(at_least("blobs-3: NMI", row.measures.nmi, 0.999))
    if (row := ours.get("blobs-1.5")) is not None:
        text = f"blobs-1.5: NMI above the best of {len(DP_MEANS_PEERS)} DP-means"
        theirs = [rows["blobs-1.5"] for rows in _dp_means(results) if "blobs-1.5" in rows]
        if not theirs:
            return [*promises, Promise(text, "no DP-means", None)]
        best = max(theirs, key=lambda one: one.measures.nmi)
        figure = f"{row.measures.nmi:.4f} against {best.measures.nmi:.4f} ({best.method})"
        promises.append(Promise(text, figure, row.measures.nmi > best.measures.nmi))
    return promises


def _dp_means(results: Results) -> list[dict[str, Row]]:
    return [results.of(peer.name) for peer in DP_MEANS_PEERS]


def noise(results: Results) -> list[Promise]:
    """Promise one cluster in 38 of the 40 data sets."""
    rows = list(results.of(OURS).values())
    right = sum(map(is_exact, rows))
    text = "noise: one cluster in at least 95% of the runs"
    return [Promise(text, f"{right} of {len(rows)}", right >= 0.95 * len(rows))]


def classic(results: Results) -> list[Promise]:
    """Promise sensible clusters of each of the small graphs; see _classic.py."""
    ours = results.of(OURS)
    promises = []
    for data in ("karate", "karate weighted"):
        if (row := ours.get(data)) is not None:
            k = row.measures.k
            promises += [
                Promise(f"{data}: 2 to 4 clusters", str(k), 2 <= k <= 4),
                at_least(f"{data}: AMI with the clubs", row.measures.ami, 0.6),
            ]
    if (row := ours.get("les miserables")) is not None:
        alone = row.measures.singletons
        promises.append(Promise(f"{row.data}: at most 2 singletons", str(alone), alone <= 2))
    for data, k in (("complete", 1), ("random 0.7", 1), ("random 0.9", 1), ("two blocks", 2)):
        if (row := ours.get(data)) is not None:
            text, found = f"{data}: clusters found, of {k}", row.measures.k
            promises.append(Promise(text, str(found), found == k))
    return promises


def nothing(results: Results) -> list[Promise]:  # noqa: ARG001
    """Promise nothing: there is no promise, or it does not apply to the data of quick runs."""
    return []
