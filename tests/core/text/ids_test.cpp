#include "text/ids.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace powercut {
namespace {

TEST(Ids, HaveNumbersThatDoNotDependOnTheKey) {
  for (const HashKey& key : {HashKey{0, 0}, HashKey{1, 2}, process_key()}) {
    IdNumbers ids(key);
    NameNumbers names(key);
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (Node i = 0; i < 5000; ++i) {
        ASSERT_EQ(ids.number(std::int64_t{i} << 40), i);
        ASSERT_EQ(names.number("node " + std::to_string(i)), i);
      }
    }
    EXPECT_EQ(ids.ids().size(), 5000U);
    EXPECT_EQ(names.size(), 5000);
  }
}

}  // namespace
}  // namespace powercut
