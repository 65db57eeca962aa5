"""A graph folder that follows its graph through changes, without being written again each time.

A change is appended to a file beside the arrays (`powercut.disk.changes`), so an update writes as
much as has changed. When a tenth of the entries have changed, the arrays are written again, under
new names, and the file of changes begins anew. The manifest names the files that count and is
replaced in one step, so a process that is killed leaves the graph before or after an update.

Who reads a folder wants arrays: the search visits rows in any order, in native code, through one
array of indices and one of offsets. An edge that comes shifts all entries after it, so rows cannot
stay mapped where they are. Reading therefore applies all changes to a copy in memory, in one pass.
The copy has the arrays of a folder that is written afresh, and labels are the same for that reason,
not because the search knows of changes. The price is memory: a folder with changes takes as much as
the same graph in memory, until it is written again.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from powercut._atomic import TEMPORARY, locked
from powercut.disk import changes
from powercut.disk.changes import Nodes, Record
from powercut.disk.folder import advising
from powercut.disk.manifest import CHANGES, DTYPES, Manifest, array_path, changes_path
from powercut.disk.reader import opened
from powercut.disk.writer import rows_of, write_arrays
from powercut.graphs.edits import Change
from powercut.graphs.graph import Graph

# The arrays are written again when more than this share of their entries has changed.
SHARE = 0.1
# Entries of a row range of arrays that are written again, which take 16 bytes each meanwhile.
ROOM = 1 << 25
# Names of files that updates write: those of arrays and changes, and temporary ones.
OWN = re.compile(rf"({'|'.join(DTYPES)})(-\d+)?\.npy|{CHANGES}(-\d+)?\.bin|{TEMPORARY}.*")


class GraphFolder:
    """A graph folder, and what is in it as far as this process knows.

    Parameters
    ----------
    path : Path
        The folder.

    Attributes
    ----------
    path : Path
        The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._manifest: Manifest | None = None
        self._nodes = Nodes(0, np.empty(0, dtype=np.intp))

    def open(self) -> tuple[Graph, list[Record]]:
        """Return the graph, and the records of its changes since the arrays were written."""
        manifest = Manifest.read(self.path)
        found = opened(self.path, manifest)
        self._manifest, self._nodes = manifest, found.nodes
        return found.graph, found.records

    @property
    def nodes(self) -> Nodes:
        """How records number the nodes."""
        return self._nodes

    def is_due(self, n_entries: int) -> bool:
        """Return whether the arrays are to be written again after a change of so many entries."""
        manifest = self._opened
        return manifest.changes.n_entries + n_entries > SHARE * manifest.n_entries

    def follow(self, graph: Graph, change: Change) -> None:
        """Bring the folder to a changed graph: append the change, or write all arrays again."""
        if self.is_due(change.n_entries):
            self._write_again(graph)
        else:
            self.append(change, {})

    def append(self, change: Change, more: Record, *, n_more: int = 0) -> None:
        """Append a change.

        Parameters
        ----------
        change : Change
            The change of the graph as it was opened, or left by the last change.
        more : dict of str to ndarray
            Further arrays of its record, under names that the graph does not use.
        n_more : int, default=0
            How much they change, counted like entries.
        """
        record = changes.record_of(change, self._nodes)
        with self._locked() as manifest:
            n_entries = change.n_entries + n_more
            after = changes.append(self.path, manifest, {**record, **more}, n_entries=n_entries)
            manifest = replace(manifest, changes=after)
            manifest.write(self.path)
        self._manifest, self._nodes = manifest, self._nodes.after(change)

    def _write_again(self, graph: Graph) -> None:
        advice = "Arrays that are written again take as much as the old ones, beside them"
        with self._locked() as manifest, advising(self.path, advice):
            generation = manifest.generation + 1
            try:
                rows = rows_of(graph, ROOM)
                self._manifest = write_arrays(
                    self.path, rows, graph.n_nodes, generation, encoding=manifest.encoding
                )
            finally:
                # By what is on disk: an interrupt may come after the manifest was replaced.
                _remove_others(self.path, Manifest.read(self.path))
        self._nodes = Nodes(graph.n_nodes, np.empty(0, dtype=np.intp))

    @contextmanager
    def _locked(self) -> Iterator[Manifest]:
        """Keep other processes from updating the folder; raise if one of them has."""
        with locked(self.path, "process that updates it"):
            manifest = Manifest.read(self.path)
            if manifest != self._opened:
                raise ValueError(
                    f"{self.path} has changed since the model has read it, by another process or "
                    "by an update that was interrupted: fit the graph that is there now."
                )
            _remove_others(self.path, manifest)
            yield manifest

    @property
    def _opened(self) -> Manifest:
        assert self._manifest is not None, "open the folder first"
        return self._manifest


def _remove_others(folder: Path, manifest: Manifest) -> None:
    """Remove files that the manifest does not name: old ones, or of processes that were killed."""
    named = {array_path(folder, name, manifest.generation) for name in manifest.dtypes}
    named.add(changes_path(folder, manifest.generation))
    for path in folder.iterdir():
        if OWN.fullmatch(path.name) and path not in named:
            # Windows keeps files that are mapped; they are removed after a later update.
            with suppress(PermissionError):
                path.unlink()
