#include "text/sip_hash.hpp"

#include <gtest/gtest.h>

#include <string>

namespace powercut {
namespace {

const HashKey counting{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};

TEST(SipHash, HasTheValuesOfThePaper) {
  // Appendix A: the bytes 0, 1, ..., 14, with two rounds per word and four at the end.
  std::string bytes;
  for (char i = 0; i < 15; ++i) bytes += i;
  EXPECT_EQ(sip_hash(bytes, counting, 2, 4), 0xa129ca6149be45e5U);
  EXPECT_EQ(sip_hash("", counting, 2, 4), 0x726fdb47dd0e0e31U);
}

TEST(SipHash, DependsOnKeyAndLength) {
  EXPECT_EQ(sip_hash("ab", counting), sip_hash("ab", counting));
  EXPECT_NE(sip_hash("ab", counting), sip_hash("ab", {1, 2}));
  EXPECT_NE(sip_hash({"a\0", 1}, counting), sip_hash({"a\0", 2}, counting));
  EXPECT_EQ(process_key().first, process_key().first);
}

}  // namespace
}  // namespace powercut
