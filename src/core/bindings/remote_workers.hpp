#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "graphs/remote_workers.hpp"
#include "graphs/view.hpp"

namespace powercut {

namespace nb = nanobind;

/// The remote workers behind a Python object; null without one, for local threads.
std::unique_ptr<RemoteGraphWorkers> remote_workers_of(const std::optional<nb::object>& remote,
                                                      const GraphView& graph);

}  // namespace powercut
