#include "graphs/multilevel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support.hpp"

namespace powercut::testing {
namespace {

GraphMoveOptions seeded(std::uint64_t seed, int n_threads = 1) {
  GraphMoveOptions options;
  options.seed = seed;
  options.n_threads = n_threads;
  return options;
}

TEST(Cycle, LowersJAtEveryLevel) {
  Never never;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const SmallGraph graph = random_coarse_graph(seed, 40);
    for (const Spec& spec : all_specs(graph)) {
      std::vector<Label> labels = random_labels(seed, 40, 12);
      const double before = naive_objective(graph, labels, spec);
      const CycleSummary summary =
          cycle(graph.view(), graph.nodes(), labels, 12, spec.objective(), seeded(seed), never);
      const double after = naive_objective(graph, labels, spec);
      const double rounding = 1e-9 * (1 + std::abs(before));
      EXPECT_NEAR(summary.path.front(), before, rounding) << spec.score;
      EXPECT_NEAR(summary.path.back(), after, rounding) << spec.score;
      for (std::size_t i = 1; i < summary.path.size(); ++i) {
        EXPECT_LE(summary.path[i], summary.path[i - 1] + rounding) << spec.score;
      }
      EXPECT_EQ(number_of_clusters(labels), summary.clusters.size());
      for (const Label label : labels) EXPECT_LT(label, std::ssize(summary.clusters));
    }
  }
}

TEST(Cycle, DoesNotDependOnThreads) {
  Never never;
  const SmallGraph graph = sparse_graph(4, 3000, 30);
  const Spec spec = all_specs(graph)[3];
  std::vector<Label> one = singletons(3000), three = one;
  cycle(graph.view(), graph.nodes(), one, 3000, spec.objective(), seeded(5), never);
  cycle(graph.view(), graph.nodes(), three, 3000, spec.objective(), seeded(5, 3), never);
  EXPECT_EQ(one, three);
}

TEST(Cycle, LeavesWhatWasReachedWhenItIsCancelled) {
  const SmallGraph graph = sparse_graph(6, 3000, 30);
  const Spec spec = all_specs(graph)[3];
  double last = naive_objective(graph, singletons(3000), spec);
  const double start = last;
  for (const int requests : {0, 1, 2, 4, 6}) {
    std::vector<Label> labels = singletons(3000);
    AfterRequests later(requests);
    EXPECT_THROW(
        cycle(graph.view(), graph.nodes(), labels, 3000, spec.objective(), seeded(7), later),
        Cancelled);
    const double reached = naive_objective(graph, labels, spec);
    EXPECT_LE(reached, last + 1e-9 * std::abs(last));
    last = reached;
  }
  EXPECT_LT(last, start);
}

}  // namespace
}  // namespace powercut::testing
