"""The real graphs and vectors of the folder in the environment variable POWERCUT_DATA.

graphs/NAME/ has edges.txt.gz and one file or several of classes: labels*.txt.gz (one line per
node, -1 for no label) or communities*.txt.gz (one line per community, which may overlap).
vectors/NAME/ has labels.txt, and pca50.npy or counts.npz.

Constants of powercut were chosen with the classes `SEEN` in sight. `UNSEEN` are all other classes
in the folder. Those of `PARTLY_SEEN` are reported apart too, because their graphs were looked at:

- com-dblp, com-amazon-subset: for the rule which graphs are tempered, in
  `powercut.graphs.dependence`.
- karate: for the code of the degrees, in `powercut.graphs.description`.
- dormitories of fb100-Amherst41 and fb100-JohnsHopkins55: other classes of graphs that were seen.

Unseen does not mean never measured: pubmed, musae-github and fb100-Cornell5 were measured during
development, but by the design notes no constant was chosen by them.
"""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import normalize

from _npz import Labels
from powercut import Graph

N_NEIGHBORS = 15
N_COMPONENTS = 50
# The file of classes of each graph: some graphs have several.
SEEN = {
    "football": "labels",
    "polbooks": "labels",
    "sp-school-day1": "labels",
    "email-Eu-core": "labels",
    "eurosis": "labels",
    "polblogs": "labels",
    "wiki": "labels",
    "cora": "labels",
    "citeseer": "labels",
    "lastfm-asia": "labels",
    "as-internet": "labels",
    "cora-full": "labels",
    "fb100-Amherst41": "labels_year",
    "fb100-JohnsHopkins55": "labels_year",
    "wordnet": "labels",
}
UNSEEN = {
    "karate": ("karate", "labels"),
    "dolphins": ("dolphins", "labels"),
    "com-amazon-subset": ("com-amazon-subset", "communities"),
    "pubmed": ("pubmed", "labels"),
    "musae-facebook": ("musae-facebook", "labels"),
    "blogcatalog": ("blogcatalog", "labels"),
    "musae-github": ("musae-github", "labels"),
    "debian-bookworm section": ("debian-bookworm", "labels_section"),
    "debian-bookworm source": ("debian-bookworm", "labels_source"),
    "fb100-Amherst41 dorm": ("fb100-Amherst41", "labels_dorm"),
    "fb100-JohnsHopkins55 dorm": ("fb100-JohnsHopkins55", "labels_dorm"),
    "fb100-Cornell5 dorm": ("fb100-Cornell5", "labels_dorm"),
    "fb100-Cornell5 year": ("fb100-Cornell5", "labels_year"),
    "com-dblp": ("com-dblp", "communities_top5000"),
    "cnr-2000": ("cnr-2000", "labels"),  # has no classes, and is listed as skipped
}
PARTLY_SEEN = frozenset(
    {
        "karate",
        "com-amazon-subset",
        "com-dblp",
        "fb100-Amherst41 dorm",
        "fb100-JohnsHopkins55 dorm",
    }
)
VECTORS = ("pbmc68k-reduced", "worm-neuron", "mouse-bladder", "reuters21578")


class Unavailable(Exception):  # noqa: N818 - a reason to skip, not a fault
    """The data are not available; the message is the reason."""


def data_folder() -> Path:
    if "POWERCUT_DATA" not in os.environ:
        raise Unavailable("the environment variable POWERCUT_DATA is not set")
    return Path(os.environ["POWERCUT_DATA"])


def graph_folders() -> Iterator[Path]:
    """Yield the folders of all graphs, by name."""
    for folder in sorted((data_folder() / "graphs").iterdir()):
        if folder.is_dir():
            yield folder


def read_edges(folder: Path) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Read the two ends of each edge."""
    u, v = np.loadtxt(folder / "edges.txt.gz", dtype=np.int64, unpack=True)
    return u, v


def read_graph(name: str, classes: str) -> tuple[Graph, Labels]:
    """Read a graph and the class of each node, from labels or communities."""
    folder = data_folder() / "graphs" / name
    if not folder.is_dir():
        raise Unavailable(f"the folder of POWERCUT_DATA has no graphs/{name}")
    path = folder / f"{classes}.txt.gz"
    if not path.exists():
        raise Unavailable("no known classes")
    u, v = read_edges(folder)
    if classes.startswith("communities"):
        truth = _read_communities(path, n=int(max(u.max(), v.max())) + 1)
    else:
        truth = np.loadtxt(path, dtype=np.int64)
    return Graph.from_edges(u, v, n_nodes=len(truth), symmetrize="max"), truth


def _read_communities(path: Path, n: int) -> Labels:
    """Return the community of each node that is in exactly one; -1 for the others."""
    truth, memberships = np.full(n, -1), np.zeros(n, dtype=np.int64)
    with gzip.open(path, "rt") as file:
        for community, line in enumerate(file):
            members = np.array(line.split(), dtype=np.int64)
            truth[members] = community
            memberships[members] += 1
    truth[memberships > 1] = -1
    return truth


def read_neighbours(name: str) -> tuple[Graph, Labels]:
    """Read vectors and make their symmetric, unweighted graph of nearest neighbours."""
    folder = data_folder() / "vectors" / name
    if not folder.is_dir():
        raise Unavailable(f"the folder of POWERCUT_DATA has no vectors/{name}")
    truth = np.loadtxt(folder / "labels.txt", dtype=np.int64)
    reduced = folder / "pca50.npy"
    X = np.load(reduced) if reduced.exists() else _document_vectors(folder / "counts.npz")
    nearest = kneighbors_graph(X, N_NEIGHBORS, include_self=False)
    return Graph(nearest.maximum(nearest.T)), truth


def _document_vectors(counts: Path) -> npt.NDArray[np.float64]:
    """Return unit vectors in 50 dimensions from word counts, by tf-idf and truncated SVD."""
    weighted = TfidfTransformer().fit_transform(sp.load_npz(counts))
    return np.asarray(normalize(TruncatedSVD(N_COMPONENTS, random_state=0).fit_transform(weighted)))
