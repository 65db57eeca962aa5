#include "graphs/proposals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "search/moves.hpp"
#include "support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::all_specs;
using testing::candidates;
using testing::clusters_of;
using testing::naive_objective;
using testing::Never;
using testing::random_coarse_graph;
using testing::random_graph;
using testing::random_labels;
using testing::SmallGraph;
using testing::Spec;

Proposals proposals_of(const SmallGraph& graph, const std::vector<Label>& labels, Label n_labels,
                       const Spec& spec, const std::vector<Node>& batch, std::size_t begin,
                       std::size_t end) {
  Never never;
  return propose_moves(graph.view(), graph.nodes(), labels, clusters_of(graph, labels, n_labels),
                       spec.objective(), batch, begin, end, never);
}

std::vector<Node> all_nodes(const SmallGraph& graph) {
  std::vector<Node> nodes(graph.n);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(Proposals, AreTheBestMovesOfAll) {
  int staying = 0, joining = 0, founding = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const SmallGraph& graph : {random_graph(seed, 14), random_coarse_graph(seed, 14)}) {
      constexpr Label n_labels = 7;  // the last two are empty
      const std::vector<Label> labels = random_labels(seed, graph.n, 5);
      for (const Spec& spec : all_specs(graph)) {
        const Proposals found =
            proposals_of(graph, labels, n_labels, spec, all_nodes(graph), 0, graph.n);
        std::vector<Label> targets = labels;
        for (std::size_t w = 0; w < found.place.size(); ++w) {
          targets[found.place[w]] = found.target[w] == new_cluster ? n_labels : found.target[w];
        }
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
          const Label target = targets[i];
          EXPECT_NEAR(delta_of(target), best, 1e-11);
          ++(target == labels[i] ? staying : target == n_labels ? founding : joining);
        }
      }
    }
  }
  EXPECT_GT(staying, 100);
  EXPECT_GT(joining, 100);
  EXPECT_GT(founding, 100);
}

TEST(Proposals, SingletonsDoNotOpenAnotherCluster) {
  const SmallGraph graph = SmallGraph::from_matrix(2, {0, 1, 1, 0});
  // A large shift favors many clusters: J is lowest with the two nodes apart.
  const Spec spec{"ncut", {5}, 0};
  EXPECT_TRUE(proposals_of(graph, {0, 1}, 2, spec, {0, 1}, 0, 2).place.empty());
}

TEST(Proposals, PartsAgreeWithTheWholeBatch) {
  const SmallGraph graph = random_coarse_graph(3, 30);
  const std::vector<Label> labels = random_labels(4, graph.n, 6);
  std::vector<Node> batch = all_nodes(graph);
  std::ranges::reverse(batch);
  batch.resize(25);
  const auto append = [](auto& all, const auto& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const Spec& spec : all_specs(graph)) {
    const Proposals whole = proposals_of(graph, labels, 6, spec, batch, 0, 25);
    Proposals parts;
    for (const auto& [begin, end] : {std::pair{0, 11}, std::pair{11, 12}, std::pair{12, 25}}) {
      const Proposals part = proposals_of(graph, labels, 6, spec, batch, begin, end);
      append(parts.place, part.place);
      append(parts.target, part.target);
      append(parts.own_link, part.own_link);
      append(parts.target_link, part.target_link);
      append(parts.loops, part.loops);
      append(parts.rivals, part.rivals);
      append(parts.n_rivals, part.n_rivals);
    }
    EXPECT_EQ(parts.place, whole.place);
    EXPECT_EQ(parts.target, whole.target);
    EXPECT_EQ(parts.own_link, whole.own_link);  // to the last bit
    EXPECT_EQ(parts.target_link, whole.target_link);
    EXPECT_EQ(parts.loops, whole.loops);
    EXPECT_EQ(parts.rivals, whole.rivals);
    EXPECT_EQ(parts.n_rivals, whole.n_rivals);
  }
}

TEST(Proposals, RivalsAreNeighborsInTheBatchWithLowerNumbers) {
  // A path 0 - 1 - 2 - 3 of singletons that all gain by joining a neighbor.
  const SmallGraph graph =
      SmallGraph::from_matrix(4, {0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0});
  const Proposals found =
      proposals_of(graph, {0, 1, 2, 3}, 4, Spec{"cpm", {0}, 0}, {3, 1, 2}, 0, 3);
  EXPECT_EQ(found.place, (std::vector<Node>{0, 1, 2}));
  EXPECT_EQ(found.n_rivals, (std::vector<Node>{1, 0, 1}));
  EXPECT_EQ(found.rivals, (std::vector<Node>{2, 1}));
}

TEST(NodesToRevisit, NeighborsInOtherClustersWhoseBatchWasNotLater) {
  // A star: node 0 moved in batch 2, and its neighbors' batches were 0 to 3.
  SmallGraph graph =
      SmallGraph::from_matrix(6, {0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
                                  1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0});
  const std::vector<Label> labels{0, 1, 1, 1, 1, 0};
  const std::vector<std::uint16_t> batch_of{2, 0, 1, 2, 3, 1};
  Never never;
  const std::vector<Node> moved{0, 0};
  EXPECT_EQ(nodes_to_revisit(graph.view(), labels, batch_of, moved, never),
            (std::vector<Node>{1, 2, 3}));
}

TEST(Proposals, CanBeCancelled) {
  // 90,000 entries: more than the work between two checks.
  const SmallGraph graph = SmallGraph::from_matrix(300, std::vector<double>(90'000, 1));
  const std::vector<Label> labels = random_labels(4, graph.n, 6);
  AfterRequests token(0);
  EXPECT_THROW(
      propose_moves(graph.view(), graph.nodes(), labels, clusters_of(graph, labels, 6),
                    Spec{"cpm", {0.1}, 0}.objective(), all_nodes(graph), 0, graph.n, token),
      Cancelled);
}

}  // namespace
}  // namespace powercut
