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
  nb::class_<CancelFlag>(m, "CancelFlag")
      .def(nb::init<>())
      .def("set", &CancelFlag::set)
      .def("is_set", &CancelFlag::is_set)
      .def("expire_in", &CancelFlag::expire_in, "seconds"_a)
      .def("expired", &CancelFlag::expired)
      .def("listen", &CancelFlag::listen, "callback"_a.none())
      .def("reached", &CancelFlag::reached, "objective"_a)
      .def("round", &CancelFlag::round);
}

}  // namespace powercut
