"""The report: what is on the page, and in which order."""

import os
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from powercut.report import _pictures, _tables
from powercut.report._html import escape, section
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
    """Write one self-contained page of HTML on a fitted model.

    What was clustered, with which settings; the sizes of clusters and what they follow; how sure
    the clusters are; the largest ones; pictures. The page needs no network, and the same
    model makes the same page.

    Parameters
    ----------
    path : str or path-like
        Where to write; a file that is there is replaced.
    model : PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        A fitted estimator.
    data : Graph, matrix, vectors or kernel matrix, optional
        What the model was fitted to. With it the page says what the data are and has pictures of
        them: the matrix of a graph and what is between its clusters, or vectors in the
        plane (two of them as they are, more by their principal components).
    names : array-like of shape (n,), optional
        A name for each node or row. Default: numbers, from 0 on.
    tradeoffs : TradeoffPath, optional
        From `powercut.tradeoff_path`: which other partitions there are.
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
        raise ValueError("the model was fitted to nothing; there is nothing to report.")
    sizes = size_distribution(model.labels_)
    body = [
        section("In short", _tables.summary(subject)),
        section("Data", _tables.data(subject)),
        section("Sizes", _pictures.sizes(subject), _tables.fits(sizes)),
        section("Confidence", _tables.confidence(subject)),
        section("Largest clusters", _tables.largest(subject)),
        section("Pictures", _pictures.of_data(subject)),
        section("Search", _pictures.search(model, tradeoffs)),
        section("Settings", _tables.settings(model)),
    ]
    style = files("powercut.report").joinpath("style.css").read_text(encoding="utf-8")
    page = "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>",
            f"<header><h1>{escape(title)}</h1></header>\n<main>",
            *filter(None, body),
            f"</main>\n<footer>Made by powercut {version('powercut')}.</footer>",
            "</body>\n</html>\n",
        ]
    )
    Path(path).write_text(page, encoding="utf-8")
