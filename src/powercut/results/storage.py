"""Saving and loading models without pickle: loading a file cannot run code.

A file is a NumPy archive (``.npz``) with one more member, ``model.json``. Its format is
described in ``docs/model_files.md``.
"""

import json
import os
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from typing import Any, BinaryIO, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from powercut._atomic import atomic_open
from powercut._typing import LABEL
from powercut.estimators._common import TrainingRows
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._graph_input import GivenGraph, NeighborsGraph, RBFGraph
from powercut.estimators._graph_posterior import GraphPosterior
from powercut.estimators._neighbor_posterior import NeighborPosterior
from powercut.estimators.clusters import PowerLawClusters
from powercut.estimators.cut import PowerLawCut
from powercut.estimators.kernel_means import PowerLawKernelMeans
from powercut.estimators.means import PowerLawMeans
from powercut.graphs._adjacency import csr
from powercut.graphs.graph import Graph
from powercut.graphs.scores import GRAPH_SCORES, Bernoulli, ClusterStats, Likelihood
from powercut.prior import PitmanYor
from powercut.results._model_checks import check_model, check_parameters
from powercut.search.fit import Description
from powercut.search.known import Known
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.points import Points
from powercut.vectors.scaling import Scaling
from powercut.vectors.scores import Gaussian
from powercut.vectors.standardised import Standardised
from powercut.vectors.tails import Tails

FORMAT, VERSION, HEADER = "powercut model", 4, "model.json"
# Attributes that have other names in older files.
RENAMED = {
    "ClusterStats": {"count": "counts"},
    "Description": {"edges": "data"},
}
ESTIMATORS = {
    kind.__name__: kind
    for kind in (PowerLawClusters, PowerLawCut, PowerLawMeans, PowerLawKernelMeans)
}
# Every class that a fitted model may contain, and its attributes that are stored.
STATE: dict[type, tuple[str, ...]] = {
    **{
        kind: tuple(field.name for field in fields(kind))
        for kind in (
            *GRAPH_SCORES.values(),
            ClusterStats,
            Bernoulli,
            Description,
            Gaussian,
            GaussianPosterior,
            GraphPosterior,
            Known,
            NeighborPosterior,
            Objective,
            PitmanYor,
            Points,
            Regulariser,
            Scaling,
            Standardised,
            Tails,
        )
    },
    **dict.fromkeys(COVARIANCES.values(), ("d",)),
    GivenGraph: ("training",),
    Graph: ("indptr", "indices", "weights"),
    NeighborsGraph: ("training", "X", "graph", "n_neighbors", "n_jobs"),
    RBFGraph: ("training", "X", "graph", "gamma"),
    TrainingRows: ("keys",),
}
# Exceptions raised for a truncated file, or a file of another kind.
UNREADABLE = (
    AttributeError,
    EOFError,
    KeyError,
    MemoryError,  # declared larger than it is
    OSError,  # offsets beyond the end
    OverflowError,
    RuntimeError,  # encrypted, nested too deeply
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)
CLASSES = {kind.__name__: kind for kind in STATE}


def save(path: str | os.PathLike[str], *, model: Any) -> None:
    """Write a fitted model to a file, for `load`.

    Parameters
    ----------
    path : str or path-like
        Where to write; an existing file is replaced. The extension is conventionally ``.npz``,
        and is not added.
    model : PowerLawClusters, PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        A fitted estimator. Its parameters must be plain values: a `progress` callback or a
        `random_state` generator cannot be stored. Neither are `changes_` and `drift_` of an update,
        nor the graph of a `PowerLawCut` and the points of a `PowerLawMeans`, which `update` of the
        loaded model asks for.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import powercut
    >>> X, _ = powercut.datasets.make_blobs(200, random_state=0)
    >>> model = powercut.PowerLawMeans(random_state=0).fit(X)
    >>> with TemporaryDirectory() as folder:
    ...     powercut.save(f"{folder}/blobs.npz", model=model)
    ...     again = powercut.load(f"{folder}/blobs.npz")
    >>> np.array_equal(again.predict(X), model.labels_)
    True
    """
    name = type(model).__name__
    if ESTIMATORS.get(name) is not type(model):
        raise TypeError(
            f"only models of the classes {list(ESTIMATORS)} can be saved, got {type(model)}."
        )
    check_is_fitted(model, "labels_")
    encoder = _Encoder()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "powercut": version("powercut"),
        **encoder.estimator(model, ""),
    }
    with atomic_open(path, "w+b") as file:
        np.savez_compressed(file, allow_pickle=False, **encoder.arrays)
        with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
            # ZipInfo has a fixed time stamp: equal models make equal files.
            archive.writestr(zipfile.ZipInfo(HEADER), json.dumps(header, indent=1, allow_nan=False))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model written by `save`, of this version of powercut or an earlier one.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    PowerLawClusters, PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        The fitted model, with the same attributes and the same predictions.
    """
    with open(path, "rb") as opened:
        try:
            return _read(opened)
        except UNREADABLE as error:
            raise ValueError(
                f"{os.fspath(path)} is damaged, or not a powercut model: {error}."
            ) from error
        except Refused as error:
            raise ValueError(f"{os.fspath(path)} {error}") from error


class Refused(Exception):  # noqa: N818 (becomes a ValueError, with the path)
    """A file of another kind, or of a later version."""


def _read(opened: BinaryIO) -> Any:
    with np.load(opened, allow_pickle=False) as file:
        header = json.loads(bytes(file[HEADER]))
        reason = _refusal(header)
        if reason is not None:
            raise Refused(reason)
        return _Decoder(file).estimator(header)


def _refusal(header: Any) -> str | None:
    """Return why a file with this header cannot be read, or None."""
    if header["format"] != FORMAT:
        return f"is not a powercut model, but {header['format']!r}."
    if header["version"] > VERSION:
        return (
            f"has format version {header['version']}, written by powercut "
            f"{header['powercut']}; this is powercut {version('powercut')}, which reads versions "
            f"up to {VERSION}. Upgrade powercut."
        )
    return None


class _Encoder:
    """Converts values to JSON, and collects arrays under their path in the model."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._stored: dict[int, str] = {}

    def estimator(self, model: Any, place: str) -> dict[str, Any]:
        parameters = model.get_params(deep=False)
        if isinstance(model, PowerLawCut | PowerLawMeans):
            model._complete()
        # In order of name, not in that in which they were set: equal models make equal files.
        # Private ones last: an array that is also public is stored under its public name.
        names = vars(model).keys() - parameters.keys()
        by_name = sorted(names, key=lambda name: (name.startswith("_"), name))
        fitted = {name: getattr(model, name) for name in by_name}
        if fitted.pop("tree_", None) is not None:
            warnings.warn(
                "tree_ is not stored; find it again with cluster_tree(data, estimator=model).",
                stacklevel=3,
            )
        for name in ("changes_", "drift_", "_kept"):
            fitted.pop(name, None)
        names = fitted.get("node_names_")
        if names is not None and names.dtype == object and {str} != set(map(type, names)):
            warnings.warn(
                "The nodes are neither all strings nor all integers, so their names are not "
                "stored: node_names_ of the loaded model is None.",
                stacklevel=3,
            )
            fitted["node_names_"] = None
        return {
            "estimator": type(model).__name__,
            "parameters": self.mapping(parameters, place),
            "fitted": self.mapping(fitted, place),
        }

    def mapping(self, values: dict[str, Any], place: str) -> dict[str, Any]:
        return {name: self.value(value, f"{place}{name}") for name, value in values.items()}

    def value(self, value: Any, place: str) -> Any:
        if isinstance(value, float) and not np.isfinite(value):
            return {"float": str(value)}
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value, place)
        if sp.issparse(value) and value.format == "csr":
            parts = {"data": value.data, "indices": value.indices, "indptr": value.indptr}
            return {"csr": self.mapping(parts, f"{place}."), "shape": list(value.shape)}
        if type(value) in STATE:
            state = {name: getattr(value, name) for name in STATE[type(value)]}
            return {"object": type(value).__name__, "state": self.mapping(state, f"{place}.")}
        if type(value) is PowerLawCut:  # of a `PowerLawClusters` that was fitted to a graph
            return self.estimator(value, f"{place}.")
        raise TypeError(
            f"{place} is {value!r}, which cannot be stored; set it to None or to a plain value "
            "before saving (model.set_params)."
        )

    def _array(self, value: Any, place: str) -> dict[str, Any]:
        if value.dtype == object:
            if not all(isinstance(text, str) for text in value):
                raise TypeError(f"{place} is an array of objects, which cannot be stored.")
            return {"strings": list(value)}
        # An array that occurs several times is stored once.
        place = self._stored.setdefault(id(value), place)
        self.arrays[place] = np.asarray(value)
        return {"array": place} if isinstance(value, np.ndarray) else {"scalar": place}


class _Decoder:
    """Converts JSON and arrays back to values, of known classes only."""

    def __init__(self, arrays: Any) -> None:
        self._arrays = arrays
        self._read: dict[str, np.ndarray[Any, Any]] = {}

    def estimator(self, value: dict[str, Any]) -> Any:
        parameters = self.mapping(value["parameters"])
        check_parameters(parameters)
        model: Any = ESTIMATORS[value["estimator"]](**parameters)
        fitted = self.mapping(value["fitted"])
        if isinstance(model, PowerLawCut):  # before version 4 nodes had no names
            fitted = {"node_names_": None, "_frame_library": None, **fitted}
        model.__dict__.update(fitted)
        check_model(model, fitted)
        return model

    def mapping(self, values: dict[str, Any]) -> dict[str, Any]:
        return {name: self.value(value) for name, value in values.items()}

    def value(self, value: Any) -> Any:
        if isinstance(value, list):
            raise ValueError("a list is no value that save writes")
        if not isinstance(value, dict):
            return value
        return self._kinds[next(iter(value), "")](self, value)

    def _array(self, value: dict[str, Any]) -> Any:
        place = value["array"]
        if place not in self._read:
            array = self._arrays[place]
            # A build with 64-bit labels reads the files of one with 32-bit labels.
            is_labels = place.rpartition(".")[2] in {"labels_", "labels"}
            widened = is_labels and array.dtype == np.int32
            self._read[place] = array.astype(LABEL, copy=False) if widened else array
        return self._read[place]

    def _scalar(self, value: dict[str, Any]) -> Any:
        return self._arrays[value["scalar"]][()]

    def _csr(self, value: dict[str, Any]) -> Any:
        parts = self.mapping(value["csr"])
        content = parts["data"], parts["indices"], parts["indptr"]
        return sp.csr_array(content, shape=tuple(value["shape"]))

    def _object(self, value: dict[str, Any]) -> Any:
        kind, renamed = CLASSES[value["object"]], RENAMED.get(value["object"], {})
        state = {renamed.get(key, key): of for key, of in self.mapping(value["state"]).items()}
        if kind is Likelihood:
            state.setdefault("self_loops", True)  # before version 3: self-pairs were counted
        if kind is Points:  # earlier files name the workers that had the points: never any
            for name in ("engine", "workers"):
                state.pop(name, None)
        if kind is GaussianPosterior and "score" in state:  # version 1
            state["objective"] = Objective(state.pop("score"), state.pop("regulariser"))
        if kind is Graph:
            data = np.ones(len(state["indices"])) if state["weights"] is None else state["weights"]
            return Graph(csr(state["indptr"], state["indices"], data))
        if is_dataclass(kind) or issubclass(kind, (TrainingRows, *COVARIANCES.values())):
            return kind(**state)
        # Graph inputs, whose constructors compute from training data what the file holds.
        made = kind.__new__(kind)
        vars(made).update(state)
        return made

    _kinds: ClassVar[dict[str, Callable[["_Decoder", dict[str, Any]], Any]]] = {
        "array": _array,
        "csr": _csr,
        "estimator": estimator,
        "float": lambda _, value: float(value["float"]),
        "object": _object,
        "scalar": _scalar,
        "strings": lambda _, value: np.array(value["strings"], dtype=object),
    }
