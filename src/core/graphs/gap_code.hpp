#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace powercut {

/// Sorted rows as gaps between columns, in a byte-aligned code.
///
/// The gap of a column is its distance from the column before it in its row, minus 1; that of the
/// first column is the column itself. A row of c columns has ceil(c / 4) control bytes, then the
/// gaps in 1 to 4 bytes each, the lowest byte first. A control byte has the lengths of four gaps,
/// minus 1, in two bits each, the first gap in the lowest bits; bits without a gap are 0.
/// So four gaps are placed by one shuffle of a vector register. Padding follows the last row: a
/// decoder reads a whole register at a time.
constexpr std::size_t gap_padding = 16;

/// Where the codes of each row are, in arrays owned by the caller.
struct GapCodes {
  const std::uint8_t* codes = nullptr;
  const std::uint32_t* starts = nullptr;  ///< of rows + 1 elements: the low 32 bits of positions
  std::span<const Entry> wraps;  ///< ascending; the rows from which on another 2^32 is to be added

  const std::uint8_t* of(Node row) const {
    Entry start = starts[row];
    for (const Entry first : wraps) start += static_cast<Entry>(row >= first) << 32;
    return codes + start;
  }
};

/// The codes of a row that are still to be read.
struct GapReader {
  GapReader(const std::uint8_t* codes, Entry length)
      : control(codes), data(codes + (length + 3) / 4) {}

  const std::uint8_t* control;
  const std::uint8_t* data;
  std::uint32_t last = 0xffffffff;  ///< the column before, such that a gap of 0 leads to column 0
};

/// Columns are decoded in chunks, into an array on the stack.
constexpr Entry gap_chunk = 64;

/// Decodes the next `count` columns of a row: a chunk, or what is left of the row. `columns` has
/// room for a multiple of four.
using GapDecoder = void (*)(GapReader& row, Entry count, std::uint32_t* columns);

void decode_gaps_by_words(GapReader& row, Entry count, std::uint32_t* columns);
/// The decoder that uses vector registers; null if the compiler or the processor has none.
GapDecoder vector_gap_decoder();
/// The fastest decoder here.
extern const GapDecoder decode_gaps;

/// Rows in code, without padding; `starts` has rows + 1 elements.
struct GapCodedRows {
  std::vector<Entry> starts;
  std::vector<std::uint8_t> codes;
};

/// Encodes the rows columns[offsets[i]:offsets[i + 1]], which ascend strictly.
GapCodedRows encode_gaps(std::span<const Entry> offsets, std::span<const Node> columns);

/// The first row whose code is not exactly that of offsets[i + 1] - offsets[i] columns below
/// `n_columns`. Reads nothing but `codes`, whatever is in the arrays.
std::optional<std::size_t> first_invalid_gaps(std::span<const Entry> offsets,
                                              std::span<const Entry> starts,
                                              std::span<const std::uint8_t> codes,
                                              std::int64_t n_columns);

}  // namespace powercut
