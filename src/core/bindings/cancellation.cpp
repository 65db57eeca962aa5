#include "bindings/cancellation.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bindings/subjects.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {

void bind_cancellation(nb::module_& m) {
  nb::exception<Cancelled>(m, "Cancelled");
  nb::class_<SharedToken>(m, "CancellationToken")
      .def(nb::init<>())
      .def("set", &SharedToken::set)
      .def("is_set", &SharedToken::is_set)
      .def("expire_in", &SharedToken::expire_in, "seconds"_a)
      .def("expired", &SharedToken::expired)
      .def("set_callback", &SharedToken::set_callback, "callback"_a.none())
      .def("report_objective", &SharedToken::report_objective, "objective"_a)
      .def("last_report", &SharedToken::last_report);
}

}  // namespace powercut
