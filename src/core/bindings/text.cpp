#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"
#include "graphs/symmetric_rows.hpp"
#include "text/edge_list.hpp"
#include "text/edge_list_reader.hpp"
#include "text/ids.hpp"
#include "text/metis_reader.hpp"
#include "text/parsing.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

Mirror mirror_of(const std::string& name) {
  require(name == "sum" || name == "max" || name == "mean" || name == "equal",
          "mirror must be 'sum', 'max', 'mean' or 'equal'");
  return name == "sum"    ? Mirror::sum
         : name == "max"  ? Mirror::max
         : name == "mean" ? Mirror::mean
                          : Mirror::equal;
}

/// (offsets, columns, weights): 32-bit offsets where they suffice, as in scipy.
nb::tuple to_tuple(Rows&& rows) {
  nb::object offsets =
      rows.offsets.back() <= std::numeric_limits<std::int32_t>::max()
          ? nb::cast(to_numpy(std::vector<std::int32_t>(rows.offsets.begin(), rows.offsets.end())))
          : nb::cast(to_numpy(std::move(rows.offsets)));
  nb::object weights =
      rows.weights.empty() ? nb::none() : nb::cast(to_numpy(std::move(rows.weights)));
  return nb::make_tuple(offsets, to_numpy(std::move(rows.columns)), weights);
}

nb::tuple bound_take_rows(EdgeList& edges, const std::string& name) {
  const Mirror mirror = mirror_of(name);
  try {
    return to_tuple(
        run(nullptr, [&](CancellationToken& token) { return edges.take_rows(mirror, token); }));
  } catch (const Asymmetric& found) {
    // The caller knows the names of the nodes, so it gets the numbers, not a message.
    nb::object type = nb::module_::import_("powercut._core").attr("Asymmetric");
    nb::tuple numbers = nb::make_tuple(found.row, found.column, found.there, found.back);
    PyErr_SetObject(type.ptr(), numbers.ptr());
    throw nb::python_error();
  }
}

void bound_add_numbers(EdgeList& edges, const In<std::int64_t>& u, const In<std::int64_t>& v,
                       const std::optional<In<double>>& weight) {
  require(!edges.has_names(), "these edges have names");
  require(u.size() == v.size() && (!weight || weight->size() == u.size()),
          "u, v and weight need an element for each edge");
  require(weight.has_value() == edges.is_weighted(), "either all edges have weights or none");
  nb::gil_scoped_release no_gil;
  for (std::size_t e = 0; e < u.size(); ++e) {
    edges.add(u.data()[e], v.data()[e], weight ? weight->data()[e] : 1.0);
  }
}

/// (text, offsets): all names concatenated, and where each begins and ends.
using NameTuple = std::tuple<In<std::uint8_t>, In<std::int64_t>>;

std::string_view name_at(const NameTuple& names, std::size_t i) {
  const auto& [text, offsets] = names;
  const std::int64_t begin = offsets.data()[i], end = offsets.data()[i + 1];
  require(begin >= 0 && begin <= end && static_cast<std::size_t>(end) <= text.size(),
          "offsets must rise within the text");
  return {reinterpret_cast<const char*>(text.data()) + begin,
          static_cast<std::size_t>(end - begin)};
}

void bound_add_names(EdgeList& edges, const NameTuple& u, const NameTuple& v,
                     const std::optional<In<double>>& weight) {
  require(edges.has_names(), "these edges have numbers");
  const std::size_t n_offsets = std::get<1>(u).size();
  require(n_offsets >= 1 && std::get<1>(v).size() == n_offsets &&
              (!weight || weight->size() == n_offsets - 1),
          "u, v and weight need an element for each edge");
  require(weight.has_value() == edges.is_weighted(), "either all edges have weights or none");
  nb::gil_scoped_release no_gil;
  for (std::size_t e = 0; e + 1 < n_offsets; ++e) {
    edges.add(name_at(u, e), name_at(v, e), weight ? weight->data()[e] : 1.0);
  }
}

/// (text, ends): all names concatenated, and where each ends.
auto bound_names(const EdgeList& edges) {
  const NameNumbers& names = edges.names();
  return nb::make_tuple(nb::bytes(names.text().data(), names.text().size()),
                        to_numpy(std::vector<std::int64_t>(names.ends())));
}

template <class Text>
void bound_feed(Text& reader, const In<std::uint8_t>& text) {
  const std::string_view view(reinterpret_cast<const char*>(text.data()), text.size());
  run(nullptr, [&](CancellationToken& token) { reader.feed(view, token); });
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::object bad_text =
      nb::steal(PyErr_NewException("powercut._core.BadText", PyExc_ValueError, nullptr));
  m.attr("BadText") = bad_text;
  nb::register_exception_translator(
      [](const std::exception_ptr& error, void* type) {
        try {
          std::rethrow_exception(error);
        } catch (const BadText& bad) {
          nb::tuple arguments = nb::make_tuple(bad.message, bad.line, bad.column);
          PyErr_SetObject(static_cast<PyObject*>(type), arguments.ptr());
        }
      },
      bad_text.ptr());
  nb::exception<Asymmetric>(m, "Asymmetric", PyExc_ValueError);
  nb::exception<TooManyNodes>(m, "TooManyNodes", PyExc_ValueError);
  nb::class_<EdgeList>(m, "EdgeList")
      .def(nb::init<bool, bool>(), "names"_a, "weighted"_a)
      .def_prop_ro("size", &EdgeList::size)
      .def("add_numbers", &bound_add_numbers, "u"_a, "v"_a, "weight"_a.none())
      .def("add_names", &bound_add_names, "u"_a, "v"_a, "weight"_a.none())
      .def("take_rows", &bound_take_rows, "mirror"_a)
      .def_prop_ro("repeats", &EdgeList::repeats)
      .def("ids", [](const EdgeList& edges) { return to_numpy(std::vector(edges.ids())); })
      .def("names", &bound_names);
  nb::class_<EdgeListReader>(m, "EdgeListReader")
      .def(
          "__init__",
          [](EdgeListReader* self, EdgeList& edges, const std::string& delimiter, int n_columns,
             bool header) {
            const int least = edges.is_weighted() ? 3 : 2;
            require(delimiter.size() <= 1, "the delimiter must be one character, or none");
            require(n_columns >= least, "edges need two columns, and their weights a third");
            new (self)
                EdgeListReader(edges, {delimiter.empty() ? '\0' : delimiter[0], n_columns, header});
          },
          "edges"_a, "delimiter"_a, "n_columns"_a, "header"_a, nb::keep_alive<1, 2>())
      .def("feed", &bound_feed<EdgeListReader>, "text"_a)
      .def("finish", &EdgeListReader::finish);
  nb::class_<MetisReader>(m, "MetisReader")
      .def(nb::init<EdgeList&>(), "edges"_a, nb::keep_alive<1, 2>())
      .def("feed", &bound_feed<MetisReader>, "text"_a)
      .def("finish", &MetisReader::finish)
      .def_prop_ro("has_node_weights", &MetisReader::has_node_weights);
}

}  // namespace powercut
