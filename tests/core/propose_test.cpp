#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "graph_moves.hpp"
#include "support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::all_specs;
using testing::clusters_of;
using testing::naive_objective;
using testing::Never;
using testing::random_coarse_graph;
using testing::random_graph;
using testing::random_labels;
using testing::SmallGraph;
using testing::Spec;

struct Proposals {
  std::vector<Label> target;
  std::vector<double> delta;
};

Proposals propose_block(const SmallGraph& graph, Node first, Node last,
                        const std::vector<Label>& labels, Label n_labels, const Spec& spec) {
  Never never;
  Proposals proposals{std::vector<Label>(last - first), std::vector<double>(last - first)};
  const auto clusters = clusters_of(graph, labels, n_labels);
  propose(graph.block(first, last), graph.nodes(), labels, clusters, spec.objective(),
          proposals.target, proposals.delta, never);
  return proposals;
}

/// The clusters of a node's neighbours and, for a node with company, a new one.
std::set<Label> candidates(const SmallGraph& graph, Node i, const std::vector<Label>& labels,
                           Label n_labels) {
  std::set<Label> found;
  for (Entry e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
    found.insert(labels[graph.indices[e]]);
  }
  found.insert(n_labels);
  found.erase(labels[i]);
  return found;
}

TEST(Propose, BestMoveOfAllWithItsExactDelta) {
  int staying = 0, joining = 0, founding = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const SmallGraph& graph : {random_graph(seed, 14), random_coarse_graph(seed, 14)}) {
      constexpr Label n_labels = 7;  // the last two are empty
      const std::vector<Label> labels = random_labels(seed, graph.n, 5);
      for (const Spec& spec : all_specs(graph)) {
        const Proposals proposals = propose_block(graph, 0, graph.n, labels, n_labels, spec);
        const double j = naive_objective(graph, labels, spec);
        for (Node i = 0; i < graph.n; ++i) {
          SCOPED_TRACE(spec.score + ", seed " + std::to_string(seed));
          const auto delta_of = [&](Label c) {
            std::vector<Label> moved = labels;
            moved[i] = c;
            return naive_objective(graph, moved, spec) - j;
          };
          double best = 0;
          for (const Label c : candidates(graph, i, labels, n_labels)) {
            best = std::min(best, delta_of(c));
          }
          const Label target = proposals.target[i];
          EXPECT_NEAR(proposals.delta[i], best, 1e-11);
          EXPECT_NEAR(proposals.delta[i], delta_of(target), 1e-11);
          EXPECT_EQ(proposals.delta[i] == 0, target == labels[i]);
          ++(target == labels[i] ? staying : target == n_labels ? founding : joining);
        }
      }
    }
  }
  EXPECT_GT(staying, 100);
  EXPECT_GT(joining, 100);
  EXPECT_GT(founding, 100);
}

TEST(Propose, AloneANodeDoesNotFoundAnotherCluster) {
  const SmallGraph graph = SmallGraph::from_matrix(2, {0, 1, 1, 0});
  // Clusters that are worth a lot each: only apart are the two nodes at their best.
  const Spec spec{"ncut", 5, 0};
  const Proposals proposals = propose_block(graph, 0, 2, {0, 1}, 2, spec);
  EXPECT_EQ(proposals.target, (std::vector<Label>{0, 1}));
  EXPECT_EQ(proposals.delta, (std::vector<double>{0, 0}));
}

TEST(Propose, BlocksSayWhatTheWholeSays) {
  const SmallGraph graph = random_coarse_graph(3, 30);
  const std::vector<Label> labels = random_labels(4, graph.n, 6);
  for (const Spec& spec : all_specs(graph)) {
    const Proposals whole = propose_block(graph, 0, graph.n, labels, 6, spec);
    Proposals parts;
    for (const auto& [first, last] : {std::pair{0, 11}, std::pair{11, 12}, std::pair{12, 30}}) {
      const Proposals part = propose_block(graph, first, last, labels, 6, spec);
      parts.target.insert(parts.target.end(), part.target.begin(), part.target.end());
      parts.delta.insert(parts.delta.end(), part.delta.begin(), part.delta.end());
    }
    EXPECT_EQ(parts.target, whole.target);
    EXPECT_EQ(parts.delta, whole.delta);  // to the last bit
  }
}

TEST(Margins, BestMoveElsewhereEvenIfItCosts) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const SmallGraph graph = random_coarse_graph(seed, 14);
    constexpr Label n_labels = 6;
    const std::vector<Label> labels = random_labels(seed, graph.n, n_labels);
    for (const Spec& spec : all_specs(graph)) {
      Never never;
      std::vector<double> margin(graph.n);
      margins(graph.view(), graph.nodes(), labels, n_labels, spec.objective(), margin, 2, never);
      const double j = naive_objective(graph, labels, spec);
      for (Node i = 0; i < graph.n; ++i) {
        SCOPED_TRACE(spec.score + ", seed " + std::to_string(seed));
        double best = std::numeric_limits<double>::infinity();
        for (const Label c : candidates(graph, i, labels, n_labels)) {
          const auto company = std::count(labels.begin(), labels.end(), labels[i]);
          if (c == n_labels && company == 1) continue;
          std::vector<Label> moved = labels;
          moved[i] = c;
          best = std::min(best, naive_objective(graph, moved, spec) - j);
        }
        EXPECT_NEAR(margin[i], best, 1e-11);
      }
    }
  }
}

TEST(Margins, InfiniteWhereThereIsNoOtherPlace) {
  const SmallGraph graph = SmallGraph::from_matrix(1, {0});
  Never never;
  std::vector<double> margin(1);
  margins(graph.view(), graph.nodes(), std::vector<Label>{0}, 1, Spec{"ncut", 5, 0}.objective(),
          margin, 1, never);
  EXPECT_EQ(margin[0], std::numeric_limits<double>::infinity());
}

TEST(Propose, CanBeCancelled) {
  // 90,000 entries: more than the work between two requests.
  const SmallGraph graph = SmallGraph::from_matrix(300, std::vector<double>(90'000, 1));
  const Spec spec{"cpm", 0.1, 0};
  const std::vector<Label> labels = random_labels(4, graph.n, 6);
  const auto clusters = clusters_of(graph, labels, 6);
  std::vector<Label> target(graph.n);
  std::vector<double> delta(graph.n);
  AfterRequests cancel(0);
  EXPECT_THROW(propose(graph.view(), graph.nodes(), labels, clusters, spec.objective(), target,
                       delta, cancel),
               Cancelled);
}

}  // namespace
}  // namespace powercut
