#include <nanobind/nanobind.h>

#include "base/node_limit.hpp"
#include "bindings/subjects.hpp"

// Safe without the GIL (FREE_THREADED in CMakeLists.txt), as kernels have always run without it:
// - there is no global state, only constants and, in vectors/gaussian_full.hpp, thread-local
// scratch;
// - a CancellationToken, which threads share, has atomic members and a mutex;
// - edge lists, readers and remote workers belong to the thread that made them, as files do.
NB_MODULE(_core, m) {
  m.doc() = "The kernels of powercut. Internal: arrays in, arrays out, nothing checked twice.";
  m.attr("NODE_BITS") = POWERCUT_NODE_BITS;
  m.attr("TOO_MANY_NODES") = powercut::too_many_nodes;
  powercut::bind_cancellation(m);
  powercut::bind_partitions(m);
  powercut::bind_prior(m);
  powercut::bind_graphs(m);
  powercut::bind_graph_moves(m);
  powercut::bind_gap_code(m);
  powercut::bind_vectors(m);
  powercut::bind_vector_moves(m);
  powercut::bind_worker_side(m);
  powercut::bind_text(m);
}
