"""What networkx is told of the backend each time that it is imported."""

from typing import Any

_SERVED = (
    "Maximises modularity by exact moves on every grain of the graph. The same seed makes the same "
    "communities, the largest first. Each is connected."
)


def get_info() -> dict[str, Any]:
    """Return what networkx shows of the backend in its documentation."""
    return {
        "backend_name": "powercut",
        "project": "powercut",
        "package": "powercut",
        "short_summary": "Communities of large graphs, by a native search.",
        "functions": {
            "leiden_communities": {"additional_docs": f"{_SERVED} ``max_level`` must be None."},
            "louvain_communities": {
                "additional_docs": f"{_SERVED} ``max_level`` and ``threshold`` must be the "
                "defaults, and the graph undirected, without negative weights."
            },
        },
    }
