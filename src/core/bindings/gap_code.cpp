#include "graphs/gap_code.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

auto bound_encode_gaps(const In<Entry>& offsets, const In<Node>& columns) {
  const std::span<const Entry> bounds = view_of(offsets);
  require(!bounds.empty() && bounds.front() == 0 && std::ranges::is_sorted(bounds) &&
              bounds.back() == static_cast<Entry>(columns.size()),
          "the offsets must lead through all columns");
  GapCodedRows rows = run(nullptr, [bounds, columns = view_of(columns)](CancellationToken&) {
    return encode_gaps(bounds, columns);
  });
  return std::make_tuple(to_numpy(std::move(rows.codes)), to_numpy(std::move(rows.starts)));
}

std::optional<std::size_t> bound_first_invalid_gaps(const In<Entry>& offsets,
                                                    const In<Entry>& starts,
                                                    const In<std::uint8_t>& codes,
                                                    std::int64_t n_columns) {
  require(offsets.size() == starts.size(), "there must be as many starts as offsets");
  return run(nullptr, [&, bounds = view_of(offsets), places = view_of(starts),
                       bytes = view_of(codes)](CancellationToken&) {
    return first_invalid_gaps(bounds, places, bytes, n_columns);
  });
}

auto bound_columns(const GraphArrays& arrays, Node first, Node end) {
  const GraphView graph = view_of(arrays);
  require(0 <= first && first <= end && end <= graph.rows(), "the graph has no such rows");
  std::vector<Node> columns(static_cast<std::size_t>(graph.begin_of(end) - graph.begin_of(first)));
  run(nullptr, [&](CancellationToken& token) {
    Ticker ticker(token);
    Node* to = columns.data();
    for (Node i = first; i < end; ++i) {
      graph.for_each(i, [&to](Node other, double) POWERCUT_INLINE { *to++ = other; });
      ticker.tick(1 + graph.length(i));
    }
    return 0;
  });
  return to_numpy(std::move(columns));
}

}  // namespace

void bind_gap_code(nb::module_& m) {
  m.def("encode_gaps", &bound_encode_gaps, "offsets"_a, "columns"_a);
  m.def("first_invalid_gaps", &bound_first_invalid_gaps, "offsets"_a, "starts"_a, "codes"_a,
        "n_columns"_a);
  m.def("columns", &bound_columns, "graph"_a, "first"_a, "end"_a);
}

}  // namespace powercut
