"""Images: the segments that people draw, and those that cuts find."""

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
    people_among_themselves,
)
from powercut.reproduce._segmenters import METHODS, OURS, SPECTRAL, as_text

SPLIT_SEED = 0
# Of the test split of BSDS500; the other 150 are what is reported.
N_VALIDATION = 50
# Validation and test images of a quick run.
QUICK = (3, 5)
N_EXAMPLES = 12

QUESTION = (
    "People draw a few large segments and many small ones, and normalized cuts want all of one "
    "size: that is what the paper shows with two images. Here are {n_test} images of BSDS500, "
    "each with the segmentations of 4 to 8 people. `powercut.image.segment` estimates for every "
    "two superpixels the chance that a person puts them into one segment, and cuts that graph "
    "with the Pitman-Yor prior on the sizes; normalized cuts get the same graph, and the number "
    "of segments that people made. The others are scikit-image's."
)
PROTOCOL = (
    "Only the test split of BSDS500 is used. {n_validation} of its images, drawn by seed "
    "{seed}, are for choosing: the weights of the affinity were fitted on them "
    "(`experiments/image_weights.py`), and for each method the setting that covers them best "
    "is taken. The figures are of the other {n_test} images: at that setting, and at "
    "the setting that is best for each image by the measure itself. Boundaries match "
    "within 0.75 % of the diagonal, without the one-to-one pairing of Berkeley's program, over "
    "all images together. Seconds are those of one core, the median over images."
)

CONTACT_SHEET = (
    "Twelve of the wide images, evenly spaced in the order in which power-law cuts cover them, "
    "from the best to the median. The person is the one who agrees best with the others."
)


def validation_and_test(
    images: Sequence[HumanSegmentations],
) -> tuple[list[HumanSegmentations], list[HumanSegmentations]]:
    """Divide the images into those for choosing settings, and those for reporting."""
    random = np.random.default_rng(SPLIT_SEED)
    drawn = set(random.choice(len(images), N_VALIDATION, replace=False).tolist())
    return (
        [image for i, image in enumerate(images) if i in drawn],
        [image for i, image in enumerate(images) if i not in drawn],
    )


def images(folder: Path, *, quick: bool, reporter: ProgressReporter) -> Section:  # noqa: ARG001
    """Segment the test images of BSDS500 by all methods, and compare with people."""
    validation, test = validation_and_test(load_bsds())
    if quick:
        validation, test = validation[: QUICK[0]], test[: QUICK[1]]
    with reporter.part(0.92):
        results = evaluate(METHODS, validation, test, reporter)
    with reporter.part(0.6, "images: people among themselves"):
        people, human_sizes, human_median = people_among_themselves(test)
    with reporter.part(1.0, "images: contact sheet"):
        examples = choose_examples(test, results)
    sizes = {PEOPLE: human_sizes, **{each.method.name: each.sizes for each in results}}
    facts = {"n_validation": len(validation), "n_test": len(test), "seed": SPLIT_SEED}
    return Section(
        "images",
        "Images: segments of BSDS500",
        [
            QUESTION.format(**facts),
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
    """Return wide images from the best to the median one by our covering, evenly spaced."""
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
    """Return how methods agree with people, and these with each other."""
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
        "Agreement with people; less is better only for the variation of information (bits).",
        columns,
        rows,
        best_cells(rows, columns),
    )


def alternating(fixed: Averages, best: Averages | None) -> list[Cell]:
    """Return each measure at the fixed setting, and at the best one if there is a choice."""
    names = ("covering", "rand", "information", "f_measure")
    return [
        value
        for name in names
        for value in (getattr(fixed, name), None if best is None else getattr(best, name))
    ]


def best_cells(rows: Sequence[Sequence[Cell]], columns: Sequence[str]) -> set[tuple[int, int]]:
    """Return where the best method of each measure stands; people do not compete."""
    cells = set()
    for column in range(2, len(columns) - 2):
        sign = -1 if columns[column].startswith("information") else 1
        values = [sign * float(row[column] or 0) for row in rows[1:]]
        cells.add((1 + int(np.argmax(values)), column))
    return cells


def size_table(sizes: dict[str, IntArray], n_images: int) -> Table:
    """Return how sizes are distributed, and how far that is from people's."""
    rows: list[list[Cell]] = []
    for name, each in sizes.items():
        tenth, half, most = np.percentile(each, (10, 50, 90)).round().astype(int).tolist()
        distance = float(ks_2samp(each, sizes[PEOPLE]).statistic)
        rows.append([name, len(each), tenth, half, most, None if name == PEOPLE else distance])
    return Table(
        "images_sizes",
        f"Sizes of the segments of {n_images} images, in pixels, and the Kolmogorov-Smirnov "
        "distance of their distribution from that of people's.",
        ["", "segments", "10 %", "50 %", "90 %", "distance from people"],
        rows,
    )


def settings_table(results: Sequence[Results]) -> Table:
    """Return all settings that were tried, and how they cover the validation images."""
    rows: list[list[Cell]] = [
        [each.method.name, as_text(setting), covering]
        for each in results
        for setting, covering in zip(each.method.settings, each.validated, strict=True)
    ]
    return Table(
        "images_settings",
        "All settings that were tried, and how they cover the validation images.",
        ["", "setting", "covering"],
        rows,
    )
