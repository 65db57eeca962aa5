"""``powercut watch``: follow a graph through batches of changes."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from powercut._atomic import TEMPORARY, locked
from powercut.cli import _batches, _common, _constraints

if TYPE_CHECKING:
    from powercut.cli._watch_state import State

EXAMPLES = """
powercut generate blocks --nodes 500 -o graph.txt
mkdir changes
echo + 0 499 > changes/001.txt
powercut watch graph.txt changes --once --state state -o watched
"""
DESCRIPTION = """\
Cluster a graph, then follow it through batches of changes. Ids of clusters last.
CHANGES is a folder, whose files are applied in order of name, as they appear; names
that begin with a dot are left out, so that a file can be renamed when it is whole. Or
it is - for standard input, where each batch ends with a line = NAME. Lines of a batch:
  + u v     an edge that comes; a third column is its weight
  - u v     an edge that goes
  + u, - u  a node that comes without edges, or goes with all its edges

OUTPUT gets two Parquet files per batch: labels/NUMBER.parquet has the nodes whose
cluster has changed, with its id (-1: the node is gone), and changes/NUMBER.parquet what
has happened to clusters. STATE has the graph and the model. A process that was killed
resumes there: each batch is applied once, and the files are the same."""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "watch",
        "follow a graph that changes",
        description=DESCRIPTION,
        examples=EXAMPLES,
    )
    _common.add_graph(parser, "graph file, read only if STATE is empty; - for standard input")
    parser.add_argument(
        "changes", metavar="CHANGES", help="folder of batches; - for standard input"
    )
    parser.add_argument("--state", metavar="STATE", required=True, help="folder of the state")
    parser.add_argument(
        "-o", "--output", metavar="OUTPUT", required=True, help="folder of the results"
    )
    parser.add_argument(
        "--once", action="store_true", help="end when no file is left; default: wait for more"
    )
    group = parser.add_argument_group("fitting")
    _common.add_tradeoff(group)
    group.add_argument(
        "--inertia",
        type=float,
        default=0.5,
        metavar="NATS",
        help="gain above which a node leaves its cluster; default: 0.5",
    )
    group.add_argument(
        "--refit",
        choices=("never", "warn", "auto"),
        help="whether to warn, or to fit again, when a fit is worth it; default: warn, and never "
        "at a tradeoff above 1, or with prior labels",
    )
    _common.add_running(group)
    kept = "kept through all batches; read only if STATE is empty"
    _constraints.add_constraints(parser, kept)
    _constraints.add_prior_labels(parser, kept)
    _common.add_quiet(parser)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Fit or resume, then apply each batch."""
    streamed = arguments.changes == _common.STANDARD
    if streamed and arguments.graph == _common.STANDARD:
        raise ValueError("GRAPH and CHANGES cannot both be standard input")
    _common.check_input(arguments.changes)
    from powercut.cli import _watch_state
    from powercut.io._parquet import pyarrow

    pyarrow("powercut watch")  # before anything is computed
    folder = Path(arguments.state)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, "powercut watch"):
        for left in Path(arguments.output).glob(f"*/{TEMPORARY}*"):  # by a process that was killed
            left.unlink()
        found = _watch_state.read(folder)
        if found is not None and not arguments.quiet:
            after = f"batch {found.name}" if found.name else "the fit"
            print(f"{folder}: resumed after {after}", file=sys.stderr)
        has_prior_labels = (
            arguments.prior_labels is not None
            if found is None
            else hasattr(found.model, "prior_moved_")
        )
        if has_prior_labels and arguments.refit in ("warn", "auto"):
            raise ValueError(
                f"--refit {arguments.refit} cannot tell when a fit is worth it with prior labels, "
                "because what they hold back would count: leave --refit out"
            )
        state = found or _fitted(arguments, folder)
        _check_parameters(arguments, state.model)
        state.model.n_jobs = arguments.jobs
        if streamed:
            batches = _batches.parts(sys.stdin.buffer, state.name)
        else:
            batches = _batches.files(
                Path(arguments.changes),
                state.name,
                n_applied=state.number,
                once=arguments.once,
            )
        _follow(arguments, folder, state, batches)
    return 0


def _parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of the fit, which those of a state must equal."""
    return {
        "tradeoff": "auto" if arguments.tradeoff is None else arguments.tradeoff,
        "random_state": arguments.seed,
    }


def _check_parameters(arguments: argparse.Namespace, model: Any) -> None:
    for name, value in _parameters(arguments).items():
        if getattr(model, name) != value:
            raise ValueError(
                f"the state in {arguments.state} is of a fit with {name}={getattr(model, name)!r}: "
                "leave that option as it was, or begin with another folder"
            )


def _fitted(arguments: argparse.Namespace, folder: Path) -> State:
    """Return the state before the first batch."""
    from powercut import PowerLawCut
    from powercut.cli import _watch_state

    _common.check_input(arguments.graph, *_constraints.constraint_files(arguments))
    clock = _common.Clock()
    graph, names = _common.read_graph(arguments)
    known = _constraints.read_constraints(arguments, names)
    clock.note("read")
    model = PowerLawCut(**_parameters(arguments), n_jobs=arguments.jobs).fit(graph, **known)
    clock.note("fit")
    state = _watch_state.State(model)
    ids = model.cluster_ids_[model.labels_]
    _write(arguments, "labels", 0, {"node": _nodes(model), "id": ids})
    state = _watch_state.write(folder, state)
    clock.note("write")
    if not arguments.quiet:
        _common.print_summary(_common.describe_graph(graph), model, clock.seconds)
    return state


def _follow(
    arguments: argparse.Namespace, folder: Path, state: State, batches: Iterator[_batches.Batch]
) -> None:
    """Apply batches, and write the results of each before the state that has it."""
    from powercut.cli import _watch_state
    from powercut.io import read_changes

    model, refit = state.model, arguments.refit
    if refit is None:
        tells = arguments.tradeoff is None or arguments.tradeoff <= 1
        refit = "warn" if tells and not hasattr(model, "prior_moved_") else "never"
    for batch in batches:
        clock = _common.Clock()
        nodes, ids = _nodes(model), model.cluster_ids_[model.labels_]
        changes = read_changes(
            batch.source,
            ids=_kind(nodes),
            max_bytes=arguments.max_bytes,
        )
        try:
            model.update(
                **changes,
                inertia=arguments.inertia,
                refit=False if refit == "never" else refit,
            )
        except ValueError as error:
            raise ValueError(f"{batch.name}: {error}") from error
        clock.note("update")
        state = replace(state, number=state.number + 1, name=batch.name)
        gone = changes["removed_nodes"]
        moved = changed_ids(nodes, ids, _nodes(model), model.changes_.ids, gone=gone)
        _write(arguments, "labels", state.number, moved)
        _write(arguments, "changes", state.number, model.changes_.columns())
        state = _watch_state.write(folder, state)
        clock.note("write")
        if not arguments.quiet:
            _print_batch(batch.name, model, clock)


def _nodes(model: Any) -> Any:
    import numpy as np

    names = model.node_names_
    return np.arange(len(model.labels_)) if names is None else names


def _kind(nodes: Any) -> str:
    if not len(nodes):
        return "auto"
    return "names" if nodes.dtype == object else "numbers"


def changed_ids(
    nodes: Any, ids: Any, new_nodes: Any, new_ids: Any, *, gone: Any = None
) -> dict[str, Any]:
    """Return the nodes whose id has changed, and the new ones; -1 for nodes that are gone.

    Nodes that stay are first among the new ones, in their old order.
    """
    import numpy as np

    stays = np.ones(len(nodes), dtype=np.bool_)
    if gone is not None:
        lost = set(gone.tolist())
        stays = np.array([node not in lost for node in nodes.tolist()], dtype=np.bool_)
    n = np.count_nonzero(stays)
    differs = np.ones(len(new_nodes), dtype=np.bool_)
    differs[:n] = ids[stays] != new_ids[:n]
    away = nodes[~stays]
    node = np.concatenate([new_nodes[differs], away]) if len(away) else new_nodes[differs]
    return {"node": node, "id": np.append(new_ids[differs], np.full(len(away), -1))}


def _write(arguments: argparse.Namespace, what: str, number: int, columns: dict[str, Any]) -> None:
    import numpy as np

    from powercut.io._tables import write_table, written

    path = Path(arguments.output) / what / f"{number:08d}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = len(next(iter(columns.values())))
    with written(path) as file:
        write_table(file, {"batch": np.full(rows, number), **columns}, "parquet")


def _print_batch(name: str, model: Any, clock: _common.Clock) -> None:
    """Print one line to standard error: clusters, what has happened to them, and times.

    If the drift was estimated, it is told too.
    """
    changes = Counter(model.changes_.change.tolist())
    told = ", ".join(f"{n:,} {change}" for change, n in sorted(changes.items())) or "no change"
    if "drift_" in vars(model):
        told += f", drift {model.drift_.share:.2%}"
    times = ", ".join(f"{part} {value:.1f} s" for part, value in clock.seconds.items())
    print(f"{name}: {model.n_clusters_:,} clusters, {told} ({times})", file=sys.stderr)
