#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/log_gamma.hpp"
#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"
#include "prior/partition_sampling.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

double bound_sum_log_rising(const In<double>& x, const In<double>& d) {
  return run(nullptr, [&](CancellationToken& token) {
    Ticker ticker(token);
    double sum = 0;
    for (const double low : view_of(x)) {
      for (const double rise : view_of(d)) sum += log_gamma::rise(low, rise);
      ticker.tick(16 * static_cast<std::int64_t>(d.size()));
    }
    return sum;
  });
}

auto bound_sample_pitman_yor(Count n, double concentration, double discount, std::uint64_t seed) {
  std::vector<Label> labels(n);
  run(nullptr, [&](CancellationToken& token) {
    return sample_pitman_yor(labels, concentration, discount, seed, token);
  });
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_prior(nb::module_& m) {
  m.def("sum_log_rising", &bound_sum_log_rising, "x"_a, "d"_a);
  m.def("sample_pitman_yor", &bound_sample_pitman_yor, "n"_a, "concentration"_a, "discount"_a,
        "seed"_a);
}

}  // namespace powercut
