#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "graphs/remote_workers.hpp"
#include "graphs/view.hpp"
#include "vectors/remote_workers.hpp"

namespace powercut {

namespace nb = nanobind;

/// Who looks at rows, or at points, if it is not the threads here: an object of Python's; null
/// without one.
std::unique_ptr<Elsewhere> elsewhere_of(const std::optional<nb::object>& engine,
                                        const GraphView& graph);
std::unique_ptr<PointsElsewhere> elsewhere_of(const std::optional<nb::object>& engine);

}  // namespace powercut
