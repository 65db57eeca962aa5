"""The state of ``powercut watch``: the model and its graph after each batch, on disk.

A folder ``batch-NUMBER`` has the model, the graph and the name of a batch, whole. What later
batches have changed of the graph and of the model is appended to the graph folder, one record per
batch, so that a small batch writes little. When the changes pass a tenth of the graph, or the model
was fitted again, a new folder is written. It gets its name when it is complete, and then the one
before is removed. So there is always a last state that is whole, and what a killed process has
begun is done again.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from powercut._atomic import TEMPORARY, atomic_open, new_folder
from powercut.disk import write_blocks
from powercut.disk.updates import GraphFolder
from powercut.results._model_changes import Snapshot, as_bytes, from_bytes, restore
from powercut.results.storage import load, save

MODEL, GRAPH, BATCH = "model.npz", "graph", "batch.json"
FORMAT, VERSION = "powercut watch", 1


@dataclass(frozen=True)
class State:
    """What is known after a batch.

    Attributes
    ----------
    model : PowerLawCut
        The model, with its graph.
    number : int
        How many batches have been applied.
    name : str
        The name of the last one; empty if there was none.
    folder : GraphFolder or None
        Where the graph was written, None if it never was.
    written : Snapshot or None
        What was written of the model.
    """

    model: Any
    number: int = 0
    name: str = ""
    folder: GraphFolder | None = None
    written: Snapshot | None = None


def read(folder: Path) -> State | None:
    """Return the last state in a folder, or None; remove what killed processes have left."""
    states = sorted(folder.glob("batch-*"))
    for old in (*folder.glob(f"{TEMPORARY}*"), *states[:-1]):
        shutil.rmtree(old)
    if not states:
        return None
    last = states[-1]
    batch = json.loads((last / BATCH).read_text(encoding="utf-8"))
    if batch["format"] != FORMAT or batch["version"] > VERSION:
        raise ValueError(f"{last} was written by another version of powercut: upgrade it.")
    model, graph_folder = load(last / MODEL), GraphFolder(last / GRAPH)
    graph, records = graph_folder.open()
    restore(model, graph, graph_folder.nodes, records)
    if records:
        batch = from_bytes(records[-1][BATCH])
    return State(model, batch["number"], batch["name"], graph_folder, Snapshot.of(model))


def write(folder: Path, state: State) -> State:
    """Write a state, whole or not at all; return it with what was written."""
    now = Snapshot.of(state.model)
    batch = {"number": state.number, "name": state.name}
    if _append(state, now, batch):
        return replace(state, written=now)
    before = list(folder.glob("batch-*"))
    path = folder / f"batch-{state.number:08d}"
    with new_folder(path) as new:
        save(new / MODEL, model=state.model)
        write_blocks(new / GRAPH, state.model._graph)
        with atomic_open(new / BATCH, "w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, "version": VERSION, **batch}, file)
    for old in before:
        shutil.rmtree(old)
    graph_folder = GraphFolder(path / GRAPH)
    graph_folder.open()
    return replace(state, folder=graph_folder, written=now)


def _append(state: State, now: Snapshot, batch: dict[str, Any]) -> bool:
    """Append what has changed to the last state; return False if one is to be written whole."""
    change, folder = state.model._input.change, state.folder
    if folder is None or state.written is None or change is None:
        return False
    record = now.since(state.written, change, folder.nodes.after(change))
    if record is None:
        return False
    # Nodes that have another cluster count like entries that have changed.
    n_more = len(record["id.at"]) - change.n_came
    if folder.is_due(change.n_entries + n_more):
        return False
    folder.append(change, {**record, BATCH: as_bytes(batch)}, n_more=n_more)
    return True
