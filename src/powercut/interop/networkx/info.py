"""Description of the backend, which networkx loads each time that it is imported."""

from typing import Any

_FUNCTION_DOCS = (
    "Maximises the metric by local moves on all levels of a multilevel search. The same seed gives "
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
                "additional_docs": f"{_FUNCTION_DOCS} Before networkx 3.7, which has the parameter "
                "``metric``, the metric is modularity. ``max_level`` and ``theta`` must be the "
                "defaults, and the graph undirected, without negative weights."
            },
            "louvain_communities": {
                "additional_docs": f"{_FUNCTION_DOCS} ``max_level`` and ``threshold`` must be the "
                "defaults, and the graph undirected, without negative weights."
            },
        },
    }
