"""Description of the backend, which networkx loads each time that it is imported."""

from typing import Any

_FUNCTION_DOCS = (
    "Maximises modularity by local moves on all levels of a multilevel search. The same seed gives "
    "the same communities, the largest first. Each is connected."
)


def get_info() -> dict[str, Any]:
    """Return the description that networkx shows in its documentation."""
    return {
        "backend_name": "powercut",
        "project": "powercut",
        "package": "powercut",
        "short_summary": "Communities of large graphs, by a search in C++.",
        "functions": {
            "leiden_communities": {
                "additional_docs": f"{_FUNCTION_DOCS} ``max_level`` must be None."
            },
            "louvain_communities": {
                "additional_docs": f"{_FUNCTION_DOCS} ``max_level`` and ``threshold`` must be the "
                "defaults, and the graph undirected, without negative weights."
            },
        },
    }
