#include "graphs/pulls.hpp"

namespace powercut {

ClusterPulls::ClusterPulls(const Pulls& pulls, std::span<const Label> labels, Label n_labels)
    : pulls_(pulls) {
  if (!pulls.any()) return;
  starts_.resize(n_labels + std::size_t{1}, 0);
  n_at_home_.resize(n_labels, 0);
  attracted_.resize(pulls.offsets[labels.size()]);
  const Node n = static_cast<Node>(labels.size());
  const auto for_each_pull = [&](auto&& visit) {
    for (Node i = 0; i < n; ++i) {
      for (const Label home : pulls.of(i)) visit(i, home);
    }
  };
  for_each_pull([&](Node i, Label home) {
    ++starts_[home];
    n_at_home_[home] += labels[i] == home;
  });
  Entry end = 0;
  for (Entry& start : starts_) start = end += start;
  // Filling backwards turns ends into starts.
  for (Node i = n; i-- > 0;) {
    for (const Label home : pulls.of(i)) attracted_[--starts_[home]] = i;
  }
}

}  // namespace powercut
