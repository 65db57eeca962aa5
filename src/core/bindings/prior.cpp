#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/digamma.hpp"
#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"
#include "prior/likelihood.hpp"
#include "prior/partition_sampling.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

auto bound_sample_pitman_yor(Count n, double concentration, double discount, std::uint64_t seed) {
  std::vector<Label> labels(n);
  run(nullptr, [&](CancellationToken& token) {
    return sample_pitman_yor(labels, concentration, discount, seed, token);
  });
  return to_numpy(std::move(labels));
}

// These take microseconds, too few for a token.

SizeHistogram histogram_of(const In<Count>& sizes) {
  const std::span<const Count> view = view_of(sizes);
  require(std::ranges::all_of(view, [](Count size) { return size > 0; }), "a size is below 1");
  return SizeHistogram(view);
}

double bound_log_prob(const In<Count>& sizes, double concentration, double discount) {
  const nb::gil_scoped_release no_gil;
  return log_prob({concentration, discount}, histogram_of(sizes));
}

auto bound_most_likely_prior(const In<Count>& sizes) {
  require(sizes.size() > 0, "there are no sizes");
  const nb::gil_scoped_release no_gil;
  const PitmanYor prior = most_likely_prior(histogram_of(sizes));
  return std::make_tuple(prior.concentration, prior.discount);
}

}  // namespace

void bind_prior(nb::module_& m) {
  m.def("digamma_rise", &digamma::rise, "x"_a, "d"_a);
  m.def("log_prob", &bound_log_prob, "sizes"_a, "concentration"_a, "discount"_a);
  m.def("most_likely_prior", &bound_most_likely_prior, "sizes"_a);
  m.def("most_likely_concentration", &most_likely_concentration, "discount"_a, "k"_a, "n"_a);
  m.def("sample_pitman_yor", &bound_sample_pitman_yor, "n"_a, "concentration"_a, "discount"_a,
        "seed"_a);
}

}  // namespace powercut
