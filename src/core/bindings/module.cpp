#include <nanobind/nanobind.h>

#include "bindings/subjects.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The kernels of powercut. Internal: arrays in, arrays out, nothing checked twice.";
  powercut::bind_cancellation(m);
  powercut::bind_prior(m);
  powercut::bind_graphs(m);
  powercut::bind_graph_moves(m);
  powercut::bind_vectors(m);
  powercut::bind_vector_moves(m);
  powercut::bind_worker_side(m);
  powercut::bind_text(m);
}
