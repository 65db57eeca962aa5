#pragma once

#include <nanobind/nanobind.h>

namespace powercut {

/// Each adds the functions and classes of one subject to the module.
void bind_cancellation(nanobind::module_& m);
void bind_partitions(nanobind::module_& m);
void bind_prior(nanobind::module_& m);
void bind_graphs(nanobind::module_& m);
void bind_graph_moves(nanobind::module_& m);
void bind_gap_code(nanobind::module_& m);
void bind_vectors(nanobind::module_& m);
void bind_vector_moves(nanobind::module_& m);
void bind_worker_side(nanobind::module_& m);
void bind_text(nanobind::module_& m);

}  // namespace powercut
