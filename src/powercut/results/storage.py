"""Models in files, without pickle: nothing that is loaded can run code.

A file is a NumPy archive (``.npz``) with one more member, ``model.json``. Its format, version 1, is
described in ``docs/model_files.md``.
"""

import json
import os
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from powercut.estimators._common import TrainingRows
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._graph_input import GivenGraph, NeighborsGraph, RBFGraph
from powercut.estimators._graph_posterior import GraphPosterior
from powercut.estimators.cut import PowerLawCut
from powercut.estimators.kernel_means import PowerLawKernelMeans
from powercut.estimators.means import PowerLawMeans
from powercut.graphs._adjacency import csr
from powercut.graphs.graph import Graph
from powercut.graphs.scores import GRAPH_SCORES, ClusterStats
from powercut.prior import PitmanYor
from powercut.search.fit import Description
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian
from powercut.vectors.standardised import Standardised

FORMAT, VERSION, HEADER = "powercut model", 2, "model.json"
# Attributes that had other names in version 1.
RENAMED = {
    "ClusterStats": {"count": "counts"},
    "Description": {"edges": "data"},
    "Points": {"engine": "workers"},
}
ESTIMATORS = {kind.__name__: kind for kind in (PowerLawCut, PowerLawMeans, PowerLawKernelMeans)}
# Everything that a fitted model may consist of, and what each is made of in a file.
STATE: dict[type, tuple[str, ...]] = {
    **{
        kind: tuple(field.name for field in fields(kind))
        for kind in (
            *GRAPH_SCORES.values(),
            ClusterStats,
            Description,
            Gaussian,
            GaussianPosterior,
            GraphPosterior,
            Objective,
            PitmanYor,
            Points,
            Regulariser,
            Standardised,
        )
    },
    **dict.fromkeys(COVARIANCES.values(), ("d",)),
    GivenGraph: ("training",),
    Graph: ("indptr", "indices", "weights"),
    NeighborsGraph: ("training", "X", "graph", "n_neighbors", "n_jobs"),
    RBFGraph: ("training", "X", "graph", "gamma"),
    TrainingRows: ("keys",),
}
# What may be raised where a file is cut off, or is something else.
UNREADABLE = (
    AttributeError,
    EOFError,
    KeyError,
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
        Where to write; a file that is there is replaced. ``.npz`` is the usual ending, and is
        not added.
    model : PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        A fitted estimator. Its parameters must be values, not objects: a `progress` that is a
        function or a `random_state` that is a generator cannot be stored.

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
        raise TypeError(f"a model of {list(ESTIMATORS)} can be saved, not {type(model)}.")
    check_is_fitted(model, "labels_")
    parameters = model.get_params(deep=False)
    fitted = {key: value for key, value in vars(model).items() if key not in parameters}
    encoder = _Encoder()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "powercut": version("powercut"),
        "estimator": name,
        "parameters": encoder.mapping(parameters, ""),
        "fitted": encoder.mapping(fitted, ""),
    }
    with open(path, "w+b") as file:
        np.savez_compressed(file, allow_pickle=False, **encoder.arrays)
        with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
            # A fixed time, so that equal models are equal files.
            archive.writestr(zipfile.ZipInfo(HEADER), json.dumps(header, indent=1, allow_nan=False))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote, by this version of powercut or an earlier one.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        Fitted, as it was saved: the same attributes, the same predictions.
    """
    where = os.fspath(path)
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            header = json.loads(bytes(file[HEADER]))
            objection = _objection(header)
            if objection is None:
                decoder = _Decoder(file)
                parameters = decoder.mapping(header["parameters"])
                model: Any = ESTIMATORS[header["estimator"]](**parameters)
                model.__dict__.update(decoder.mapping(header["fitted"]))
                return model
    except UNREADABLE as error:
        raise ValueError(f"{where} is damaged, or no model of powercut: {error}.") from error
    raise ValueError(f"{where} {objection}")


def _objection(header: Any) -> str | None:
    """Return why a file cannot be read, from its header, or None."""
    if header["format"] != FORMAT:
        return f"is no model of powercut, but {header['format']!r}."
    if header["version"] > VERSION:
        return (
            f"has version {header['version']} of the format, written by powercut "
            f"{header['powercut']}; this is {version('powercut')}, which knows versions up to "
            f"{VERSION}. Upgrade powercut."
        )
    return None


class _Encoder:
    """Turns values into JSON, with arrays set aside under the names of their places."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._stored: dict[int, str] = {}

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
        raise TypeError(
            f"{place} is {value!r}, which cannot be stored; set it to None or to a value before "
            "saving (model.set_params)."
        )

    def _array(self, value: Any, place: str) -> dict[str, Any]:
        if value.dtype == object:
            if not all(isinstance(text, str) for text in value):
                raise TypeError(f"{place} is an array of objects, which cannot be stored.")
            return {"strings": list(value)}
        # An array that is in several places is stored once.
        place = self._stored.setdefault(id(value), place)
        self.arrays[place] = np.asarray(value)
        return {"array": place} if isinstance(value, np.ndarray) else {"scalar": place}


class _Decoder:
    """The way back, by known names only."""

    def __init__(self, arrays: Any) -> None:
        self._arrays = arrays
        self._read: dict[str, np.ndarray[Any, Any]] = {}

    def mapping(self, values: dict[str, Any]) -> dict[str, Any]:
        return {name: self.value(value) for name, value in values.items()}

    def value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return self._kinds[next(iter(value), "")](self, value)

    def _array(self, value: dict[str, Any]) -> Any:
        place = value["array"]
        if place not in self._read:
            self._read[place] = self._arrays[place]
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
        if kind is GaussianPosterior and "score" in state:  # version 1
            state["objective"] = Objective(state.pop("score"), state.pop("regulariser"))
        if kind is Graph:
            data = np.ones(len(state["indices"])) if state["weights"] is None else state["weights"]
            return Graph(csr(state["indptr"], state["indices"], data))
        if is_dataclass(kind) or issubclass(kind, (TrainingRows, *COVARIANCES.values())):
            return kind(**state)
        # How new nodes join a graph: all that is made from the training data is in the file.
        made = kind.__new__(kind)
        vars(made).update(state)
        return made

    _kinds: ClassVar[dict[str, Callable[["_Decoder", dict[str, Any]], Any]]] = {
        "array": _array,
        "csr": _csr,
        "float": lambda _, value: float(value["float"]),
        "object": _object,
        "scalar": _scalar,
        "strings": lambda _, value: np.array(value["strings"], dtype=object),
    }
