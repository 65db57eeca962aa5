#include "graphs/neighborhood.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/random.hpp"

namespace powercut {
namespace {

TEST(Neighborhood, SumsTheWeightsToEachLabelInTheOrderTheyAreMet) {
  Random random(1);
  Neighborhood neighborhood;
  // Large and small in turn: nothing of the previous node must remain.
  for (const int edges : {5, 1, 300, 7, 0, 40, 2}) {
    std::map<Label, double> expected;
    std::vector<Label> met;
    neighborhood.reset(edges);
    for (int e = 0; e < edges; ++e) {
      const Label label = static_cast<Label>(random.below(1000) * 65536);
      const double weight = random.uniform();
      neighborhood.add(label, weight);
      if (!expected.contains(label)) met.push_back(label);
      expected[label] += weight;
    }
    ASSERT_EQ(neighborhood.links().size(), met.size());
    for (std::size_t i = 0; i < met.size(); ++i) {
      EXPECT_EQ(neighborhood.links()[i].label, met[i]);
      EXPECT_EQ(neighborhood.links()[i].weight, expected[met[i]]);
      EXPECT_EQ(neighborhood.weight_to(met[i]), expected[met[i]]);
    }
    EXPECT_EQ(neighborhood.weight_to(12345), 0);
  }
}

}  // namespace
}  // namespace powercut
