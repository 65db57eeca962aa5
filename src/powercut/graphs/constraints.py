"""The level of a graph that is searched if something is known of the clusters.

Nodes that must share a cluster become one node of it. Aggregation is exact: J of a partition of
that level is J of the partition of the nodes.
"""

from dataclasses import replace

from powercut.graphs.level import Level
from powercut.search.constraints import Constraints


def constrained_level(level: Level, constraints: Constraints) -> Level:
    """Return the level that is searched, whose nodes are the groups of the constraints.

    Its rows are not read by remote workers.
    """
    n_groups = constraints.n_groups
    if n_groups < level.n:
        level = replace(level.join(constraints.groups, n_groups), groups=constraints.groups)
    return replace(level, conflicts=constraints.conflicts, workers=None)
