#include "graphs/scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "support.hpp"

namespace powercut {
namespace {

using testing::clusters_of;
using testing::Spec;

const ClusterStats cluster{6, 10, 2.5, 4};  // inside, volume, weight, count

double worth_of(const std::string& name, double parameter, const ClusterStats& c) {
  return with_score(name, {&parameter, 1}, [&](const auto& score) { return score(c); });
}

TEST(Scores, FollowTheirFormulas) {
  EXPECT_DOUBLE_EQ(worth_of("ncut", 0.1, cluster), -0.6 - 0.1);
  EXPECT_DOUBLE_EQ(worth_of("rcut", 0.1, cluster), 1.6 - 0.1);
  EXPECT_DOUBLE_EQ(worth_of("rassoc", 0.1, cluster), -2.4 - 0.1);
  EXPECT_DOUBLE_EQ(worth_of("modularity", 0.05, cluster), 5 - 6);
  EXPECT_DOUBLE_EQ(worth_of("cpm", 2, cluster), 12.5 - 6);
}

TEST(Scores, NCutOfNodesWithoutEdgesIsTheShiftAlone) {
  EXPECT_EQ(worth_of("ncut", 0.25, {0, 0, 1, 1}), -0.25);
}

TEST(Likelihood, IsAtLeastItsBoundAndLittleMore) {
  Random random(0);
  int below_zero = 0;
  for (int trial = 0; trial < 10'000; ++trial) {
    const double parameters[] = {std::exp(-10 * random.uniform()),
                                 static_cast<double>(random.below(2)),
                                 static_cast<double>(random.below(2)), 0.1 + random.uniform()};
    const Likelihood score(parameters);
    const ClusterStats c{std::exp(12 * random.uniform()), std::exp(12 * random.uniform()),
                         1 + 10 * random.uniform(), 1 + static_cast<Count>(random.below(1000))};
    const double value = score(c), bound = score.at_least(c);
    EXPECT_LE(bound, value);
    EXPECT_LE(value - bound, 2e-5 * c.inside * score.unit);
    const ClusterStats other{c.volume, c.inside, c.weight, 1 + c.count / 2};
    const DoublePair bounds = score.at_least(c, other);
    EXPECT_EQ(bounds[0], bound);
    EXPECT_EQ(bounds[1], score.at_least(other));
    below_zero += value < 0;
  }
  EXPECT_GT(below_zero, 1000);
}

TEST(Scores, RefuseUnknownNamesAndWrongNumbersOfParameters) {
  const auto nothing = [](const auto&) { return 0; };
  const std::vector<double> one{1}, two{1, 2};
  EXPECT_THROW(with_score("cut", one, nothing), std::invalid_argument);
  EXPECT_THROW(with_score("ncut", two, nothing), std::invalid_argument);
  EXPECT_THROW(with_score("ncut", {}, nothing), std::invalid_argument);
}

TEST(ClusterStats, AddUpTheNodesOfEachCluster) {
  // A triangle 0-1-2 with weights 1, 2, 3, a self-loop of 5 at node 2, a pendant node 3.
  auto graph = testing::SmallGraph::from_matrix(4, {0, 1, 2, 0,  //
                                                    1, 0, 3, 0,  //
                                                    2, 3, 5, 7,  //
                                                    0, 0, 7, 0});
  const std::vector<Label> labels{2, 0, 2, 0};
  const auto plain = clusters_of(graph, labels, 3);
  EXPECT_EQ(plain[0].inside, 0);
  EXPECT_EQ(plain[2].inside, 2 * 2 + 5);
  EXPECT_EQ(plain[2].volume, 3 + 17);
  EXPECT_EQ(plain[2].weight, 2);
  EXPECT_EQ(plain[2].count, 2);
  EXPECT_EQ(plain[1].count, 0);

  graph.count = {1, 2, 3, 4};
  const auto counted = clusters_of(graph, labels, 3);
  EXPECT_EQ(counted[2].count, 4);
  EXPECT_EQ(counted[2].weight, 4);

  graph.weight = {0.5, 1, 0.25, 2};
  const auto weighted = clusters_of(graph, labels, 3);
  EXPECT_EQ(weighted[2].weight, 0.75);
  EXPECT_EQ(weighted[0].weight, 3);
  EXPECT_EQ(weighted[0].count, 6);
}

TEST(Objective, IsTheSumOfScoresAndThePrior) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const auto& graph :
         {testing::random_graph(seed, 15), testing::random_coarse_graph(seed, 15)}) {
      const std::vector<Label> labels = testing::random_labels(seed, graph.n, 6);
      const auto clusters = clusters_of(graph, labels, 6);
      for (const Spec& spec : testing::all_specs(graph)) {
        EXPECT_NEAR(objective(spec.objective(), clusters),
                    testing::naive_objective(graph, labels, spec), 1e-12)
            << spec.score;
      }
    }
  }
}

}  // namespace
}  // namespace powercut
