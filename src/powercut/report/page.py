"""The report on a fitted model: its sections and their order."""

import os
from typing import Any

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from powercut._atomic import atomic_open
from powercut.report import _figures, _tables
from powercut.report._html import PageSection, page
from powercut.report._labels import label_table
from powercut.report._subject import Subject
from powercut.results.plateaus import TradeoffPath
from powercut.results.sizes import size_distribution


def write_report(
    path: str | os.PathLike[str],
    *,
    model: Any,
    data: Any = None,
    names: npt.ArrayLike | None = None,
    tradeoffs: TradeoffPath | None = None,
    title: str = "powercut report",
) -> None:
    """Write a self-contained HTML page on a fitted model.

    The page shows the data and the parameters, the sizes of the clusters and the distributions
    fitted to them, the confidence in labels and clusters, the largest clusters, and figures; also
    the tree of clusters, if the model was fitted with ``tree=True``. A table of all labels can be
    searched and sorted; on paper, or where scripts are off, it has the least certain labels. So it
    does if there are more than 100,000. The page needs no network, and the same model makes the
    same page.

    Parameters
    ----------
    path : str or path-like
        Where to write; an existing file is replaced.
    model : PowerLawClusters, PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        A fitted estimator.
    data : Graph, matrix, vectors or kernel matrix, optional
        What the model was fitted to. With it the page describes and draws the data: the
        adjacency matrix of a graph and the weights between its clusters, or vectors in the plane
        (by their two features, or by their first two principal components).
    names : array-like of shape (n,), optional
        A name for each node or row. Default: `node_names_` of the model, or numbers, from 0 on.
    tradeoffs : TradeoffPath, optional
        From `powercut.tradeoff_path`: partitions of the same data at other scales.
    title : str, default="powercut report"
        Heading of the page.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from powercut import PowerLawCut
    >>> from powercut.datasets import make_paper_graph
    >>> from powercut.report import write_report
    >>> graph, _ = make_paper_graph(300, random_state=0)
    >>> model = PowerLawCut(random_state=0).fit(graph)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(f"{folder}/report.html", model=model, data=graph)
    ...     page = Path(folder, "report.html").read_text(encoding="utf-8")
    >>> "<h2>Sizes</h2>" in page
    True
    """
    check_is_fitted(model, "labels_")
    subject = Subject.of(model, data, names)
    if subject.n == 0:
        raise ValueError("the model was fitted to no data; there is nothing to report.")
    tree = getattr(model, "tree_", None)
    sizes = size_distribution(model.labels_[subject.assigned])
    parts = {
        "Summary": [_tables.summary(subject)],
        "Data": [_tables.data(subject)],
        "Sizes": [_figures.sizes(subject), _tables.size_fits(sizes)],
        "Confidence": [_tables.confidence(subject)],
        "Largest clusters": [_tables.largest(subject)],
        "Labels": [label_table(subject)],
        "Figures": [_figures.data(subject)],
        "Scales": [] if tree is None else [_tables.levels(tree), _figures.scales(tree)],
        "Search": [_figures.search(model, tradeoffs)],
        "Parameters": [_tables.parameters(model)],
    }
    sections = [PageSection(heading, heading, content) for heading, content in parts.items()]
    # A half of a character, as in names that were cut off, cannot be written otherwise.
    content = page(title, sections).encode("utf-8", "xmlcharrefreplace")
    with atomic_open(path, "wb") as file:
        file.write(content)
