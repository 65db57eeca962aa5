#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/subjects.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

/// Labels 0 to k - 1 in the order of the given ones, and k; nothing if they are not all between 0
/// and `most`.
std::optional<std::tuple<Out<Label>, Label>> compact_labels(const In<Label>& given, Label most) {
  const std::span<const Label> labels = view_of(given);
  Label low = 0, high = -1;
  for (const Label c : labels) {
    low = std::min(low, c);
    high = std::max(high, c);
  }
  if (low < 0 || high > most) return std::nullopt;
  std::vector<Label> number(static_cast<std::size_t>(high + 1), 0), compact(labels.size());
  for (const Label c : labels) number[c] = 1;
  Label k = 0;
  for (Label& used : number) k += std::exchange(used, k);
  for (std::size_t i = 0; i < labels.size(); ++i) compact[i] = number[labels[i]];
  return std::make_tuple(to_numpy(std::move(compact)), k);
}

}  // namespace

void bind_partitions(nb::module_& m) {
  m.def("compact_labels", &compact_labels, "labels"_a, "most"_a);
}

}  // namespace powercut
