"""How Sphinx builds the site: ``sphinx-build -W docs build/site``."""

import re
import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

from docutils.nodes import literal_block
from sphinx_gallery.sorting import ExplicitOrder

import powercut

project = "powercut"
author = "The powercut developers"
copyright = "The powercut developers"  # noqa: A001 (Sphinx calls it so)
about = metadata("powercut")
version = release = about["Version"]
# The link to the repository appears once pyproject.toml has: [project.urls] Repository = "...".
urls = dict(url.split(", ", 1) for url in about.get_all("Project-URL") or [])

# Public modules whose files are in other folders: autodoc imports them by their public names.
for name in ("neighbors", "scanpy"):
    sys.modules[f"powercut.{name}"] = getattr(powercut, name)

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    # Brings MathJax along, so that pages ask no other server for anything.
    "sphinx-mathjax-offline",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
default_role = "py:obj"
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

smartquotes = False  # types have quotes as in code
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # the docstrings say it
autodoc_inherit_docstrings = False  # a score is its formula, and its methods are those of all
numpydoc_show_class_members = False  # the template of classes lists them

EXAMPLES = Path(__file__).parent.parent / "examples"
sphinx_gallery_conf = {
    "examples_dirs": str(EXAMPLES),
    "gallery_dirs": "gallery",
    "within_subsection_order": ExplicitOrder(
        [
            "plot_first_graph.py",
            "plot_shapes.py",
            "plot_peers.py",
            "plot_first_vectors.py",
            "plot_networkx.py",
            "plot_how_sure.py",
            "plot_grains.py",
            "plot_resolution.py",
            "plot_scales.py",
            "plot_packages.py",
            "plot_topics.py",
            "plot_cells.py",
            "plot_digits.py",
            "plot_image.py",
            "plot_new_points.py",
            "plot_nothing_there.py",
            "plot_sizes.py",
            "plot_prior.py",
            "plot_pictures.py",
            "plot_shift.py",
            "plot_kernel.py",
        ]
    ),
    "abort_on_example_error": True,
    "capture_repr": (),  # what a script does not print is not shown
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "powercut"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
    "icon_links": [
        {"name": "Repository", "url": urls[name], "icon": "fa-brands fa-github"}
        for name in ("Repository",)
        if name in urls
    ],
}
# Pages without others below them.
html_sidebars: dict[str, list[str]] = {
    page: [] for page in ("index", "start", "benchmarks", "faq", "changelog")
}


# What scikit-learn says of these is true of many estimators, and not quite of ours.
INHERITED = {
    "fit_predict": "Fit, and return ``labels_``; takes what `fit` takes.",
    "fit_transform": "Fit, and return what `transform` makes of X.",
    "get_feature_names_out": "Return a name for each column of `transform`.",
}


def skip_fields(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:  # noqa: ARG001
    """Leave out fields of named tuples: the docstring has them as attributes."""
    return True if str(obj.__doc__).startswith("Alias for field number") else None


def mend_lines(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """Describe what is inherited, and keep what means nothing from being read as if it did.

    ``shape (n_clusters_,)`` in the type of an attribute is no link, and the initial of an author
    at the start of a line or of a reference does not number a list.
    """
    method = name.rpartition(".")[2]
    if method in INHERITED:
        lines[:] = [INHERITED[method]]
    for index, line in enumerate(lines):
        names, colon, kind = line.partition(" : ")
        if colon and re.fullmatch(r"\w[\w, ]*", names):
            lines[index] = names + colon + re.sub(r"(?<=\w)_(?!\w)", r"\\_", kind)
        else:
            lines[index] = re.sub(r"^(\.\. \[\d+\] )?(?=[A-Z]\. [A-Z])", r"\1\\", line)


def colour_prompts(app: Any, doctree: Any) -> None:  # noqa: ARG001
    """Colour doctests in Markdown, which are blocks without a language."""
    for block in doctree.findall(literal_block):
        if block.astext().startswith(">>> "):
            block["language"] = "pycon"


def setup(app: Any) -> None:
    """Have docstrings mended before numpydoc reads them, and doctests coloured."""
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("autodoc-process-docstring", mend_lines, priority=400)
    app.connect("doctree-read", colour_prompts)
