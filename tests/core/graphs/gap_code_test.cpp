#include "graphs/gap_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "graphs/view.hpp"

namespace powercut {
namespace {

/// Rows of all lengths up to three chunks, with gaps of one to four bytes.
struct Rows {
  std::vector<Entry> offsets{0};
  std::vector<Node> columns;
  Node n() const { return static_cast<Node>(offsets.size() - 1); }
};

Rows random_rows(std::uint64_t seed) {
  Random random(seed);
  Rows rows;
  for (Entry length = 0; length <= 3 * gap_chunk; ++length) {
    std::int64_t column = -1;
    for (Entry e = 0; e < length; ++e) {
      const int bits = static_cast<int>(random.below(length < 8 ? 28 : 22));
      const std::int64_t next = column + 1 + (random.below(2) + (std::int64_t{1} << bits) - 1);
      column =
          std::min<std::int64_t>(next, std::numeric_limits<Node>::max() - 1 - (length - e - 1));
      rows.columns.push_back(static_cast<Node>(column));
    }
    rows.offsets.push_back(static_cast<Entry>(rows.columns.size()));
  }
  return rows;
}

/// Codes as files have them: padded, with 32-bit starts.
struct Stored {
  explicit Stored(const Rows& rows) : coded(encode_gaps(rows.offsets, rows.columns)) {
    for (const Entry start : coded.starts) starts.push_back(static_cast<std::uint32_t>(start));
    padded = coded.codes;
    padded.resize(padded.size() + gap_padding, 0xff);
    padded.shrink_to_fit();  // for the address sanitizer
  }
  GapCodes codes() const { return {padded.data(), starts.data(), {}}; }

  GapCodedRows coded;
  std::vector<std::uint32_t> starts;
  std::vector<std::uint8_t> padded;
};

std::vector<Node> decoded(GapDecoder decode, const Stored& stored, const Rows& rows) {
  std::vector<Node> columns;
  for (Node i = 0; i < rows.n(); ++i) {
    const Entry length = rows.offsets[i + 1] - rows.offsets[i];
    GapReader row(stored.codes().of(i), length);
    for (Entry first = 0; first < length; first += gap_chunk) {
      std::uint32_t some[gap_chunk];
      const Entry n = std::min(gap_chunk, length - first);
      decode(row, n, some);
      columns.insert(columns.end(), some, some + n);
    }
  }
  return columns;
}

TEST(GapCode, DecodesWhatWasEncodedByWordsAndByVectors) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Rows rows = random_rows(seed);
    const Stored stored(rows);
    EXPECT_EQ(decoded(decode_gaps_by_words, stored, rows), rows.columns);
    EXPECT_EQ(decoded(decode_gaps, stored, rows), rows.columns);
    if (vector_gap_decoder() != nullptr) {
      EXPECT_EQ(decoded(vector_gap_decoder(), stored, rows), rows.columns);
    }
  }
}

TEST(GapCode, TakesAsManyBytesAsGapsNeed) {
  // Gaps 0, 255, 256, 65535 and 65536, 2^24 - 1, 2^24.
  const std::vector<Node> columns{0, 256, 513, 66049, 131586, 16908802, 33686019};
  const GapCodedRows rows = encode_gaps(std::vector<Entry>{0, 7}, columns);
  EXPECT_EQ(rows.starts, (std::vector<Entry>{0, 2 + 1 + 1 + 2 + 2 + 3 + 3 + 4}));
  EXPECT_EQ(rows.codes[0], 0b01'01'00'00);
  EXPECT_EQ(rows.codes[1], 0b00'11'10'10);
}

TEST(GapCode, AViewReadsRowsAsIfTheyWerePlain) {
  const Rows rows = random_rows(4);
  const Stored stored(rows);
  std::vector<float> weights;
  for (std::size_t e = 0; e < rows.columns.size(); ++e) weights.push_back(1 + e % 5);
  const GraphView plain =
      GraphView::compressed(rows.n(), rows.offsets.data(), true, rows.columns.data(), wide_nodes,
                            weights.data(), GraphView::Stored::float32);
  const GraphView coded = GraphView::gap_coded(rows.n(), rows.offsets.data(), true, stored.codes(),
                                               weights.data(), GraphView::Stored::float32);
  EXPECT_EQ(coded.size(), plain.size());
  for (Node i = 0; i < rows.n(); ++i) {
    coded.prefetch_offset(i);
    coded.prefetch_entries(i);
    Entry place = 0;
    coded.for_each(i, [&](Node column, double weight) {
      ASSERT_EQ(column, plain.neighbor(i, place));
      ASSERT_EQ(column, coded.neighbor(i, place));
      ASSERT_EQ(weight, plain.weight(i, place));
      ASSERT_EQ(coded.find(i, column), place);
      ASSERT_EQ(coded.find(i, column + 1), plain.find(i, column + 1));
      ++place;
    });
    EXPECT_EQ(place, plain.length(i));
    EXPECT_EQ(coded.find(i, std::numeric_limits<Node>::max()), -1);
  }
}

TEST(GapCode, StartsMayPassTwoToThe32) {
  const std::vector<std::uint32_t> starts{0, 0xfffffff0, 5, 0xfffffff0, 7};
  const std::vector<Entry> wraps{2, 4};
  const std::uint8_t code = 0;
  const GapCodes codes{&code, starts.data(), wraps};
  EXPECT_EQ(codes.of(1) - &code, 0xfffffff0);
  EXPECT_EQ(codes.of(2) - &code, (Entry{1} << 32) + 5);
  EXPECT_EQ(codes.of(4) - &code, (Entry{2} << 32) + 7);
}

TEST(GapCode, FindsTheFirstRowThatIsNoCode) {
  const std::vector<Entry> offsets{0, 2, 3};
  const std::vector<Node> columns{3, 260, 2};
  const GapCodedRows rows = encode_gaps(offsets, columns);
  const auto first_invalid = [&](std::vector<std::uint8_t> codes, std::vector<Entry> starts,
                                 std::vector<Entry> bounds, std::int64_t n) {
    codes.shrink_to_fit();
    return first_invalid_gaps(bounds, starts, codes, n);
  };
  EXPECT_EQ(first_invalid(rows.codes, rows.starts, offsets, 261), std::nullopt);
  EXPECT_EQ(first_invalid(rows.codes, rows.starts, offsets, 260), 0U);
  for (std::size_t n = 0; n < rows.codes.size(); ++n) {
    const std::vector<std::uint8_t> truncated(rows.codes.begin(), rows.codes.begin() + n);
    EXPECT_EQ(first_invalid(truncated, rows.starts, offsets, 261), n < 4 ? 0U : 1U);
  }
  std::vector<std::uint8_t> longer = rows.codes;
  longer[0] = 0xff;  // more bytes than there are, and bits without a gap
  EXPECT_EQ(first_invalid(longer, rows.starts, offsets, 261), 0U);
  std::vector<std::uint8_t> spare = rows.codes;
  spare[4] |= 0x80;
  EXPECT_EQ(first_invalid(spare, rows.starts, offsets, 261), 1U);
  EXPECT_EQ(first_invalid(rows.codes, {0, -4, 6}, offsets, 261), 0U);
  EXPECT_EQ(first_invalid(rows.codes, {-1, 4, 6}, offsets, 261), 0U);
  EXPECT_EQ(first_invalid(rows.codes, {0, 4, 1'000'000}, offsets, 261), 1U);
  EXPECT_EQ(first_invalid(rows.codes, rows.starts, {0, 1, 3}, 261), 0U);
  EXPECT_EQ(first_invalid(rows.codes, rows.starts, {0, -5, 3}, 261), 0U);
  EXPECT_EQ(first_invalid(rows.codes, rows.starts, {0, 2, 1'000'000'000'000}, 261), 1U);
}

}  // namespace
}  // namespace powercut
