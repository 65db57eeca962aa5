"""Where the search of a graph begins.

From single nodes every merge has to pay for the prior's preference for many clusters before it
gains anything, so the search begins with the score alone (tradeoff 0) and then switches the prior
on; from whole components it has to find the first split; modularity's clusters lie in between. All
are improved to the end and the lowest J is kept.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from powercut import _core
from powercut._typing import Labels, Random
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.scores import GraphObjective, Modularity
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter
from powercut.search.objective import Found
from powercut.search.starts import Start, by_objective, run_starts


def solve_start(level: Level, objective: GraphObjective, labels: Labels | None = None) -> Start:
    """Start from single nodes, or from labels, by one cycle that lowers another objective."""
    first = np.arange(level.n, dtype=np.int32) if labels is None else compact_labels(labels)[0]

    def start(random: Random, reporter: ProgressReporter) -> Labels:
        search = Multilevel(level, objective, random=random, cancel=reporter)
        return search.cycle(first)

    return start


def components_start(level: Level) -> Start:
    """Start from a cluster for each connected component."""
    return lambda _random, _watch: level.components


def graph_starts(level: Level, objective: GraphObjective, n_init: int) -> list[Start]:
    """Return the usual starts for a graph, those that are random `n_init` times."""
    score_alone = objective.without_prior()
    total_weight = float(level.nodes[0].sum())
    modularity = replace(score_alone, score=Modularity(1.0, total_weight))
    # One of the two where modularity is the score.
    objectives = dict.fromkeys([score_alone, modularity])
    return [components_start(level), *[solve_start(level, one) for one in objectives] * n_init]


def search_graph(
    level: Level,
    objective: GraphObjective,
    *,
    starts: Sequence[Start],
    n_jobs: int = 1,
    random: Random,
    reporter: ProgressReporter | None = None,
) -> Found:
    """Lower J by multilevel search from each start, and keep the best.

    Parameters
    ----------
    level : Level
        The graph.
    objective : GraphObjective
        What to lower.
    starts : sequence of callables
        Each makes labels to start from; see `graph_starts` and `given`.
    n_jobs : int
        How many searches run at once; the result does not depend on it.
    random : numpy.random.Generator
        Decides the random orders.
    reporter : ProgressReporter, optional
        Ends the search after a time with the best so far, and hears how far it is.
    """
    constant = objective.regulariser.constant(level.n_original)

    def improve(start: Labels, own_random: Random, reporter: ProgressReporter) -> Found:
        search = Multilevel(level, objective, random=own_random, cancel=reporter)
        labels = search.improve(compact_labels(start)[0])
        path = np.asarray(search.path) + constant
        return Found(labels, float(path[-1]), path)

    return run_starts(
        starts,
        improve,
        rank=by_objective,
        large=level.is_large,
        n_jobs=n_jobs,
        random=random,
        reporter=reporter,
    )


def split(level: Level, objective: GraphObjective, found: Found) -> Found:
    """Make each connected piece of a cluster a cluster; J may rise, and the path stays."""
    pieces, n_pieces = _core.split_components(level.graph, found.labels, None)
    if n_pieces == int(found.labels.max(initial=-1)) + 1:
        return found
    j = level.objective(pieces, n_pieces, objective)
    return Found(pieces, j + objective.regulariser.constant(level.n_original), found.path)


def connect(level: Level, objective: GraphObjective, found: Found, *, random: Random) -> Found:
    """Make every cluster connected: split what is not, then move what keeps it so."""
    pieces = split(level, objective, found)
    if pieces is found:
        return found
    moved = level.local_moves(
        pieces.labels, objective, random=random, cancel=None, keep_connected=True, exhaustive=True
    )
    constant = objective.regulariser.constant(level.n_original)
    return Found(moved.labels, moved.after + constant, found.path)
