"""Images: segments drawn by people, and segments found by graph cuts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import ks_2samp

from powercut._typing import IntArray
from powercut.datasets import HumanSegmentations, load_bsds
from powercut.progress import ProgressReporter
from powercut.reproduce._section import Cell, Section, Table
from powercut.reproduce._segmentation_pictures import (
    PEOPLE,
    Example,
    contact_sheet,
    make_example,
    size_picture,
)
from powercut.reproduce._segmentation_results import (
    Averages,
    Results,
    evaluate,
    human_agreement,
)
from powercut.reproduce._segmenters import METHODS, OURS, SPECTRAL, as_text

SPLIT_SEED = 0
# Images of the test split of BSDS500 for validation; results are of the other 150.
N_VALIDATION = 50
# Validation and test images of a quick run.
QUICK = (1, 2)
N_EXAMPLES = 12

METHOD = (
    "People draw a few large segments and many small ones, whereas normalized cuts favour segments "
    "of equal size; the paper shows this with two images. Here the comparison is on {n_test} "
    "images of BSDS500, each with the segmentations of 4 to 8 people. `powercut.image.segment` "
    "estimates for every pair of superpixels the probability that a person puts them into the same "
    "segment, and cuts that graph with the Pitman-Yor prior on the sizes. Normalized cuts are "
    "given the same graph and the median number of human segments. The other methods are those of "
    "scikit-image."
)
PROTOCOL = (
    "Only the test split of BSDS500 is used. {n_validation} of its images, drawn with seed "
    "{seed}, are for validation: the weights of the affinity were fitted on them "
    "(`experiments/image_weights.py`), and for each method the setting with the best covering of "
    "them is chosen. Results are on the other {n_test} images: with that setting, and with "
    "the best setting of each image by the measure itself. Boundaries match "
    "within 0.75 % of the diagonal, without the one-to-one pairing of the Berkeley benchmark, and "
    "are pooled over all images. Times are CPU seconds, the median over images."
)

CONTACT_SHEET = (
    "Twelve of the landscape-format images, evenly spaced by rank of the covering by power-law "
    "cuts, from the best to the median. The person shown agrees best with the others."
)


def validation_and_test(
    images: Sequence[HumanSegmentations],
) -> tuple[list[HumanSegmentations], list[HumanSegmentations]]:
    """Split the images into validation images and test images."""
    random = np.random.default_rng(SPLIT_SEED)
    drawn = set(random.choice(len(images), N_VALIDATION, replace=False).tolist())
    return (
        [image for i, image in enumerate(images) if i in drawn],
        [image for i, image in enumerate(images) if i not in drawn],
    )


def images(folder: Path, *, quick: bool, reporter: ProgressReporter) -> Section:  # noqa: ARG001
    """Segment the test images of BSDS500 by all methods, and compare with human segmentations."""
    validation, test = validation_and_test(load_bsds())
    if quick:
        validation, test = validation[: QUICK[0]], test[: QUICK[1]]
    with reporter.part(0.92):
        results = evaluate(METHODS, validation, test, reporter)
    with reporter.part(0.6, "agreement between people"):
        people, human_sizes, human_median = human_agreement(test)
    with reporter.part(1.0, "contact sheet"):
        examples = choose_examples(test, results)
    sizes = {PEOPLE: human_sizes, **{each.method.name: each.sizes for each in results}}
    facts = {"n_validation": len(validation), "n_test": len(test), "seed": SPLIT_SEED}
    return Section(
        "images",
        "Images: segments of BSDS500",
        [
            METHOD.format(**facts),
            contact_sheet(examples, CONTACT_SHEET),
            PROTOCOL.format(**facts),
            agreement_table(results, people, human_median),
            size_picture(sizes),
            size_table(sizes, len(test)),
            settings_table(results),
        ],
    )


def choose_examples(
    images: Sequence[HumanSegmentations], results: Sequence[Results]
) -> list[Example]:
    """Return landscape-format images, evenly spaced from our best covering to the median."""
    by_name = {each.method.name: each for each in results}
    ours, spectral = by_name[OURS], by_name[SPECTRAL]
    wide = [
        (outcome.agreement.covering, image)
        for outcome, image in zip(ours.outcomes, images, strict=True)
        if np.subtract(*image.image().shape[:2]) < 0
    ]
    wide.sort(key=lambda pair: -pair[0])
    upper_half = wide[: max(1, len(wide) // 2)]
    places = np.linspace(0, len(upper_half) - 1, N_EXAMPLES).round().astype(int)
    return [
        make_example(image, ours.labels(image), spectral.labels(image))
        for _, image in (upper_half[place] for place in np.unique(places))
    ]


def agreement_table(results: Sequence[Results], people: Averages, human_median: float) -> Table:
    """Return the agreement of each method with people, and of people with each other."""
    rows: list[list[Cell]] = [
        ["a person against the others", None, *alternating(people, None), human_median, None]
    ]
    for each in results:
        n_segments = float(np.median([len(outcome.sizes) for outcome in each.outcomes]))
        seconds = float(np.median([outcome.seconds for outcome in each.outcomes]))
        rows.append(
            [
                each.method.name,
                each.setting,
                *alternating(each.fixed, each.best),
                n_segments,
                seconds,
            ]
        )
    columns = ["", "setting"]
    for measure in ("covering", "Rand", "information", "boundary F"):
        columns += [measure, f"{measure}, best"]
    columns += ["segments", "seconds"]
    return Table(
        "images",
        "Agreement with people. Higher is better, except for the variation of information (bits).",
        columns,
        rows,
        best_cells(rows, columns),
    )


def alternating(fixed: Averages, best: Averages | None) -> list[Cell]:
    """Return each measure with the fixed setting, then with the best one if there are several."""
    names = ("covering", "rand", "information", "f_measure")
    return [
        value
        for name in names
        for value in (getattr(fixed, name), None if best is None else getattr(best, name))
    ]


def best_cells(rows: Sequence[Sequence[Cell]], columns: Sequence[str]) -> set[tuple[int, int]]:
    """Return the cell of the best method by each measure; the row of people is left out."""
    cells = set()
    for column in range(2, len(columns) - 2):
        sign = -1 if columns[column].startswith("information") else 1
        values = [sign * float(row[column] or 0) for row in rows[1:]]
        cells.add((1 + int(np.argmax(values)), column))
    return cells


def size_table(sizes: dict[str, IntArray], n_images: int) -> Table:
    """Return percentiles of the sizes, and the distance of their distribution from people's."""
    rows: list[list[Cell]] = []
    for name, each in sizes.items():
        tenth, half, most = np.percentile(each, (10, 50, 90)).round().astype(int).tolist()
        distance = float(ks_2samp(each, sizes[PEOPLE]).statistic)
        rows.append([name, len(each), tenth, half, most, None if name == PEOPLE else distance])
    return Table(
        "images_sizes",
        f"Sizes of the segments of {n_images} images, in pixels, and the Kolmogorov-Smirnov "
        "distance from the sizes of human segments.",
        ["", "segments", "10 %", "50 %", "90 %", "distance from people"],
        rows,
    )


def settings_table(results: Sequence[Results]) -> Table:
    """Return all settings that were tried, with their covering of the validation images."""
    rows: list[list[Cell]] = [
        [each.method.name, as_text(setting), covering]
        for each in results
        for setting, covering in zip(each.method.settings, each.validated, strict=True)
    ]
    return Table(
        "images_settings",
        "All settings that were tried, with their mean covering of the validation images.",
        ["", "setting", "covering"],
        rows,
    )
