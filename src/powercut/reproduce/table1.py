"""Table 1: the UCI data sets as vectors."""

from pathlib import Path

from powercut.progress import ProgressReporter
from powercut.reproduce._paper import TABLE_1
from powercut.reproduce._protocol import NAMES, ROWS, Scores, run_methods
from powercut.reproduce._section import Cell, Section, Table
from powercut.reproduce._tables import comparison, details, verdict
from powercut.reproduce._vectors import OTHERS, OURS

ENCODING, OTHER_ENCODING = "ordinal", "one-hot"
# Where the encoding makes a difference, and which methods show it.
NOMINAL = ("audiology", "hypothyroid", "flags")
ENCODED = ("exact moves", "k-means, true k")

METHOD = f"""\
Features are scaled to [0, 1]. A nominal value is its place in the list of values that the file \
declares, a missing one the most frequent value or, of a number, the mean: of the two encodings of \
`load_uci` this is the one at which k-means comes closer to the paper's figures, so it is most \
likely the paper's. Ten random splits (of the two data sets of thousands of rows, each of {ROWS:,} \
rows by chance): on 30 percent of the rows, settings are tried; those whose \
number of clusters is within a quarter of the number of classes (or is nearest to it, if none is) \
stay, and the one of highest NMI there is used on the other 70 percent. k-means is told the number \
of classes."""
OUR_METHODS = """\
**Algorithm 1** and **exact moves** minimise the paper's objective, tradeoff, concentration and \
discount validated. A small concentration with a small tradeoff puts a price on each cluster \
without favouring large ones; without it, exact moves end with one large cluster and single \
points. **Nothing to set** is the Gaussian model of `PowerLawMeans()`, which is told nothing and \
needs no validation."""
CAUTION = """\
NMI is no fair judge of numbers of clusters: the partition into single points, which says nothing, \
has the NMI of the third column, above the paper's own figures on some data sets. So the number of \
clusters and the adjusted mutual information (0 for clusters at random) stand beside it."""


def table1(folder: Path, *, quick: bool, reporter: ProgressReporter) -> Section:  # noqa: ARG001
    """Cluster the vectors by all methods, and by two with the other encoding."""
    methods = OURS | OTHERS
    with reporter.part(0.7):
        results = [
            run_methods(name, ENCODING, methods, quick=quick, reporter=reporter)
            for name in reporter.each(NAMES, of=len(NAMES))
        ]
    encoded = {method: methods[method] for method in ENCODED}
    others = [
        run_methods(name, OTHER_ENCODING, encoded, quick=quick, reporter=reporter)
        for name in reporter.each(NOMINAL, of=len(NOMINAL))
    ]
    return Section(
        "table1",
        "Table 1: UCI data sets as vectors",
        [
            verdict(results, tuple(OURS), "k-means, true k", TABLE_1),
            comparison(
                "table1",
                "Mean NMI over the runs. Bold: at or above the paper's figure.",
                results,
                ours=tuple(OURS),
                others={"k-means, true k": "k-means", "pyp-means": "pyp-means", "DP-means": None},
                paper=TABLE_1,
            ),
            METHOD,
            OUR_METHODS,
            details("table1-clusters", "Clusters found, and AMI.", results, tuple(methods)),
            CAUTION,
            _encodings(results, others),
        ],
    )


def _encodings(results: list[Scores], others: list[Scores]) -> Table:
    by_name = {scores.name: scores for scores in results}
    rows: list[list[Cell]] = []
    for scores in others:
        both = (by_name[scores.name], scores)
        rows += [[each.name, each.encoding, *map(each.mean, ENCODED)] for each in both]
    caption = "What the encoding of nominal values does: mean NMI."
    return Table("table1-encodings", caption, ["data set", "encoding", *ENCODED], rows)
