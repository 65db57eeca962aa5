"""Starts of the search of a graph, and the search from all of them.

No single start is best for all graphs. From singletons, the prior penalises every merge, often by
more than the score gains. This start therefore minimises the score alone (tradeoff 0), and the
prior is switched on afterwards. From connected components, the search has to find the first
split. Clusters of high modularity lie in between. Each start is improved to a local minimum of J,
and the lowest is kept.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from powercut import _core
from powercut._typing import LABEL, Labels, Random
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.scores import GraphObjective, Modularity
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter
from powercut.search.objective import SearchResult
from powercut.search.starts import Start, by_objective, run_starts


def start_from_objective(
    level: Level, objective: GraphObjective, labels: Labels | None = None
) -> Start:
    """Start from the partition that one cycle on another objective finds.

    The cycle itself starts from singletons, or from `labels` if they are given.
    """
    first = np.arange(level.n, dtype=LABEL) if labels is None else compact_labels(labels)[0]

    def start(random: Random, reporter: ProgressReporter) -> Labels:
        search = Multilevel(level, objective, random=random, cancel=reporter)
        return search.cycle(first).labels

    return start


def start_by_coarsening(
    level: Level, objective: GraphObjective, of_nodes: GraphObjective | None = None
) -> Start:
    """Start from the partition that one coarsening pass on another objective finds.

    Single nodes are moved by `of_nodes`, if it is given.
    """

    def start(random: Random, reporter: ProgressReporter) -> Labels:
        search = Multilevel(level, objective, random=random, cancel=reporter, brisk=True)
        return compact_labels(search.coarsen(of_nodes))[0]

    return start


def start_from_components(level: Level) -> Start:
    """Start from one cluster per connected component, without nodes in conflict."""
    return lambda _random, _reporter: level.allow(level.components)


def start_without_conflicts(level: Level, objective: GraphObjective) -> Start:
    """Start from what a search without conflicts finds, after conflicting nodes were taken out.

    Conflicts close ways between partitions, and a search from any other start may miss it.
    """
    free = replace(level, conflicts=None)

    def start(random: Random, reporter: ProgressReporter) -> Labels:
        search = Multilevel(free, objective, random=random, cancel=reporter)
        return level.allow(search.improve(np.arange(level.n, dtype=LABEL)))

    return start


def graph_starts(level: Level, objective: GraphObjective, n_init: int) -> list[Start]:
    """Return the default starts of a graph; the random ones are repeated `n_init` times."""
    score_alone = objective.without_prior()
    total_weight = float(level.nodes[0].sum())
    modularity = replace(score_alone, score=Modularity(1.0, total_weight))
    # If the score is modularity, the two are equal: keep one of them.
    objectives = dict.fromkeys([score_alone, modularity])
    random_starts = [start_from_objective(level, one) for one in objectives]
    if level.conflicts is not None:
        random_starts.append(start_without_conflicts(level, objective))
    return [start_from_components(level), *random_starts * n_init]


def search_graph(
    level: Level,
    objective: GraphObjective,
    *,
    starts: Sequence[Start],
    n_jobs: int = 1,
    random: Random,
    reporter: ProgressReporter | None = None,
) -> SearchResult:
    """Minimise J by multilevel search from each start, and keep the best result.

    Parameters
    ----------
    level : Level
        The finest level of the graph.
    objective : GraphObjective
        J, to be minimised.
    starts : sequence of callables
        Each returns initial labels; see `graph_starts` and `given`.
    n_jobs : int
        How many searches run in parallel; the result does not depend on it.
    random : numpy.random.Generator
        The order in which nodes are visited.
    reporter : ProgressReporter, optional
        Receives progress; when its time limit expires, the search returns the best so far.
    """
    constant = objective.regulariser.constant(level.n_original)

    def improve(start: Labels, own_random: Random, reporter: ProgressReporter) -> SearchResult:
        search = Multilevel(level, objective, random=own_random, cancel=reporter)
        labels = search.improve(compact_labels(start)[0])
        path = np.asarray(search.path) + constant
        return SearchResult(labels, float(path[-1]), path)

    return run_starts(
        starts,
        improve,
        rank=by_objective,
        large=level.is_large,
        n_jobs=n_jobs,
        random=random,
        reporter=reporter,
    )


def split(level: Level, objective: GraphObjective, found: SearchResult) -> SearchResult:
    """Split clusters into their connected components.

    J may increase; the path of J is that of `found`.
    """
    components, n_components = level.split_components(found.labels)
    if n_components == int(found.labels.max(initial=-1)) + 1:
        return found
    j = level.objective(components, n_components, objective)
    return SearchResult(
        components, j + objective.regulariser.constant(level.n_original), found.path
    )


def connect(
    level: Level,
    objective: GraphObjective,
    found: SearchResult,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> SearchResult:
    """Make every cluster connected: split those that are not, then move nodes.

    Only moves that keep clusters connected are made, until the time limit of `cancel` expires.
    """
    connected = split(level, objective, found)
    if connected is found:
        return found
    moved = level.local_moves(
        connected.labels,
        objective,
        random=random,
        cancel=cancel,
        keep_connected=True,
        exhaustive=True,
    )
    constant = objective.regulariser.constant(level.n_original)
    return SearchResult(moved.labels, moved.after + constant, found.path)
