r"""Labels that attract nodes to a cluster, but do not bind them there.

A label that is right with probability q multiplies the odds of the cluster it stands for by
:math:`q / (1 - q)`. So each node that has a prior label, but is not in the cluster of that label,
adds :math:`s = \ln(q / (1 - q))` nats to the negative log posterior. Different labels have
different clusters, their homes, chosen so that the sum is smallest: a matching of labels with
clusters that holds as many nodes as possible. A label may be left without a home.

If labels could share a home, they would tell nothing of clusters that the edges do not tell apart:
on planted graphs of 2,000 nodes with labels for 20%, of which 10% were wrong, the NMI of the other
nodes was .73; it is .80.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from powercut._typing import LABEL, Array, FloatArray, IntArray, Labels, Positions
from powercut._utils import cached_property
from powercut.graphs.level import Level
from powercut.graphs.pulls import Pulls
from powercut.partition import canonical_labels
from powercut.search.constraints import Constraints
from powercut.search.known import FREE, Known

# The log-odds of a label that is right with probability .99.
DEFAULT_NATS = float(np.log(99))


@dataclass(frozen=True)
class PriorLabels:
    """Prior labels of some nodes of a graph.

    Attributes
    ----------
    labels : ndarray of int64
        The prior label of each node, -1 if it has none.
    nats : float
        What it costs if a node is not in the cluster of its label.
    known : Known
        Constraints, which are kept. Nodes that are fixed have the label they are fixed at, and
        count more than all others: its home is their cluster.
    """

    labels: IntArray
    nats: float
    known: Known

    @cached_property
    def nodes(self) -> Positions:
        """The nodes that have a prior label."""
        return np.flatnonzero(self.labels != FREE)

    @cached_property
    def _votes(self) -> "_Votes":
        """The votes of all nodes that have a label, fixed or prior, on what is the label's."""
        labels, fixed = self.labels, self.known.fixed
        if fixed is not None:
            labels = np.where(fixed != FREE, fixed, labels)
        nodes = np.flatnonzero(labels != FREE)
        values, first, inverse = np.unique(labels[nodes], return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(len(first), dtype=np.intp)
        number[order] = np.arange(len(first))
        weights = np.ones(len(nodes), dtype=np.intp)
        if fixed is not None:
            weights[fixed[nodes] != FREE] = len(labels)  # outvotes all others
        return _Votes(nodes, number[inverse], weights, values[order])

    def homes(self, labels: Labels) -> Labels:
        """Return the cluster of the label of each node; -1 if it has no label, or that no cluster.

        Of clusters with as many nodes of a label, the largest is preferred.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.search.known import Known
        >>> from powercut.graphs.prior_labels import PriorLabels
        >>> none = np.empty((0, 2), dtype=np.intp)
        >>> prior = PriorLabels(np.array([7, 7, 7, 2, -1]), 1.0, Known(None, none, none))
        >>> prior.homes(np.array([1, 1, 0, 0, 0], dtype=np.int32))
        array([ 1,  1,  1,  0, -1], dtype=int32)
        """
        votes, ranks = self._votes, canonical_labels(labels)
        cluster_of = np.full(int(labels.max(initial=-1)) + 2, -1, dtype=LABEL)  # last: no home
        cluster_of[ranks] = labels
        home = matched(votes.numbers, ranks[votes.nodes], votes.weights)
        homes: Labels = np.full(len(labels), -1, dtype=LABEL)
        homes[votes.nodes] = cluster_of[home[votes.numbers]]
        return homes

    def moved(self, labels: Labels) -> Positions:
        """Return the nodes that are not in the cluster of their label."""
        return np.asarray(self.nodes[labels[self.nodes] != self.homes(labels)[self.nodes]])

    def pulls(self, level: Level, homes: Labels, *, scale: float, with_fixed: bool = True) -> Pulls:
        """Return the pulls on the nodes of a level, at these homes; `scale` is J per nat.

        Fixed nodes are bound to theirs, which would otherwise move with them, unless only the pulls
        of prior labels are wanted.
        """
        nodes, weights = self._votes.nodes, self._votes.weights.astype(np.float64)
        if not with_fixed:
            nodes, weights = self.nodes, np.ones(len(self.nodes))
        some = homes[nodes] >= 0
        nodes, weights = nodes[some], weights[some]
        places = nodes if level.groups is None else level.groups[nodes]
        return Pulls.of(level.n, places, homes[nodes], scale * self.nats * weights)

    def as_fixed(self) -> Known:
        """Return constraints that fix nodes at their prior labels, where the others let them.

        Nodes that must link are fixed at the label of most of them. Of two that cannot link and
        have the same label, one is left free.
        """
        groups = Constraints.of(len(self.labels), self.known).groups
        votes = self._votes
        number = np.full(int(groups.max(initial=-1)) + 1, FREE, dtype=np.intp)
        chosen = elected(groups[votes.nodes], votes.numbers, votes.weights)
        number[: len(chosen)] = chosen
        bound = np.zeros(len(number), dtype=np.bool_)
        if self.known.fixed is not None:
            bound[groups[self.known.fixed != FREE]] = True
        pairs = np.sort(groups[self.known.cannot_link], axis=1)
        for one, other in pairs[number[pairs[:, 0]] == number[pairs[:, 1]]]:
            if number[one] == number[other]:  # still
                number[one if bound[other] else other] = FREE
        number = number[groups]
        fixed = np.where(number == FREE, FREE, votes.values[number])
        return Known(fixed, self.known.must_link, self.known.cannot_link)


@dataclass(frozen=True)
class _Votes:
    """Nodes with labels, the numbers of these, the weights of the votes, the values of the labels.

    Labels are numbered by the first node that has each, so that their values do not matter.
    """

    nodes: Positions
    numbers: Positions
    weights: Positions
    values: IntArray


def elected(voters: Array, choices: Array, weights: Positions) -> Positions:
    """Return the choice with most votes of each voter, -1 if it has none; the first if equal.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.graphs.prior_labels import elected
    >>> elected(np.array([0, 0, 2, 2, 2]), np.array([4, 3, 1, 0, 1]), np.ones(5, dtype=int))
    array([ 3, -1,  1])
    """
    voter, choice, votes = _counted(voters, choices, weights)
    order = np.lexsort((-choice, votes))  # what is assigned last stays
    best = np.full(int(voters.max(initial=-1)) + 1, -1, dtype=np.intp)
    best[voter[order]] = choice[order]
    return best


def matched(voters: Array, choices: Array, weights: Positions) -> Positions:
    """Return a choice for each voter, another one for each, so that most votes agree with theirs.

    It is -1 for voters that others left nothing for. Where votes are equal, lower choices are
    preferred. Voters are 0, 1, ..., each with a vote.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.graphs.prior_labels import matched
    >>> voters, choices = np.array([0, 0, 0, 1, 1, 2]), np.array([5, 5, 3, 5, 3, 5])
    >>> matched(voters, choices, np.ones(6, dtype=int))
    array([ 5,  3, -1])
    """
    voter, choice, votes = _counted(voters, choices, weights)
    n, k = int(voters.max(initial=-1)) + 1, int(choices.max(initial=-1)) + 1
    # Each voter may also have a choice of its own that has no votes. All count one more, because
    # the algorithm takes 0 for no entry. What prefers lower choices adds up to less than a vote.
    own, preferred = np.arange(n), (1 - choice / max(k, 1)) / (2 * max(n, 1))
    weight = np.append(votes + 1 + preferred, np.ones(n))
    entries = weight, (np.append(voter, own), np.append(choice, k + own))
    table = csr_array(coo_array(entries, shape=(n, k + n)))
    rows, columns = min_weight_full_bipartite_matching(table, maximize=True)
    best = np.full(n, -1, dtype=np.intp)
    best[rows] = np.where(columns < k, columns, -1)
    return best


def _counted(voters: Array, choices: Array, weights: Positions) -> tuple[Array, Array, FloatArray]:
    """Return the distinct pairs of a voter and a choice, in order, and the votes of each."""
    k = int(choices.max(initial=-1)) + 1
    pairs, inverse = np.unique(voters.astype(np.int64) * k + choices, return_inverse=True)
    votes = np.bincount(inverse, weights, len(pairs)).astype(np.float64, copy=False)
    return *np.divmod(pairs, max(k, 1)), votes
