#include "graphs/gap_code.hpp"

#include <array>
#include <bit>
#include <cstring>

#if defined(__GNUC__) && defined(__x86_64__)
#define POWERCUT_SHUFFLES 1
#include <immintrin.h>
#endif

namespace powercut {
namespace {

/// Bytes of a gap, minus 1.
unsigned code_of(std::uint32_t gap) { return gap == 0 ? 0 : (std::bit_width(gap) - 1) / 8; }

#if defined(POWERCUT_SHUFFLES)

/// For each control byte, where the bytes of four gaps go in four words, and how many they are.
struct Shuffles {
  alignas(16) std::uint8_t bytes[256][16];
  std::uint8_t length[256];
};

constexpr Shuffles make_shuffles() {
  Shuffles shuffles{};
  for (int control = 0; control < 256; ++control) {
    int at = 0;
    for (int gap = 0; gap < 4; ++gap) {
      const int length = (control >> 2 * gap & 3) + 1;
      for (int byte = 0; byte < 4; ++byte) {
        // A set high bit makes a zero.
        shuffles.bytes[control][4 * gap + byte] =
            static_cast<std::uint8_t>(byte < length ? at + byte : 0x80);
      }
      at += length;
    }
    shuffles.length[control] = static_cast<std::uint8_t>(at);
  }
  return shuffles;
}

constexpr Shuffles shuffles = make_shuffles();

__attribute__((target("ssse3"))) void decode_gaps_by_vectors(GapReader& row, Entry count,
                                                             std::uint32_t* columns) {
  const std::uint8_t* control = row.control;
  const std::uint8_t* data = row.data;
  const __m128i steps = _mm_setr_epi32(1, 2, 3, 4);
  __m128i last = _mm_set1_epi32(static_cast<int>(row.last));
  for (Entry e = 0; e < count; e += 4) {
    const std::uint8_t code = *control++;
    __m128i gaps =
        _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data)),
                         _mm_load_si128(reinterpret_cast<const __m128i*>(shuffles.bytes[code])));
    data += shuffles.length[code];
    gaps = _mm_add_epi32(gaps, _mm_slli_si128(gaps, 4));
    gaps = _mm_add_epi32(gaps, _mm_slli_si128(gaps, 8));
    const __m128i four = _mm_add_epi32(_mm_add_epi32(gaps, steps), last);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(columns + e), four);
    last = _mm_shuffle_epi32(four, 0xff);
  }
  row.control = control;
  row.data = data;
  row.last = static_cast<std::uint32_t>(_mm_cvtsi128_si32(last));
}

#endif

}  // namespace

void decode_gaps_by_words(GapReader& row, Entry count, std::uint32_t* columns) {
  static constexpr std::array<std::uint32_t, 4> masks{0xff, 0xffff, 0xffffff, 0xffffffff};
  unsigned codes = 0;
  for (Entry e = 0; e < count; ++e) {
    codes = e % 4 == 0 ? *row.control++ : codes >> 2;
    std::uint32_t word;  // arrays are little-endian, as are all machines that map them
    std::memcpy(&word, row.data, sizeof word);
    row.data += (codes & 3) + 1;
    columns[e] = row.last += (word & masks[codes & 3]) + 1;
  }
}

GapDecoder vector_gap_decoder() {
#if defined(POWERCUT_SHUFFLES)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("ssse3")) return decode_gaps_by_vectors;
#endif
  return nullptr;
}

const GapDecoder decode_gaps =
    vector_gap_decoder() != nullptr ? vector_gap_decoder() : decode_gaps_by_words;

GapCodedRows encode_gaps(std::span<const Entry> offsets, std::span<const Node> columns) {
  GapCodedRows rows;
  rows.starts.reserve(offsets.size());
  rows.starts.push_back(0);
  std::vector<std::uint8_t>& codes = rows.codes;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const Entry length = offsets[i + 1] - offsets[i];
    const std::size_t controls = codes.size();
    codes.resize(controls + static_cast<std::size_t>((length + 3) / 4), 0);
    std::uint32_t last = 0xffffffff;
    for (Entry e = 0; e < length; ++e) {
      const std::uint32_t column = static_cast<std::uint32_t>(columns[offsets[i] + e]);
      const std::uint32_t gap = column - last - 1;
      const unsigned code = code_of(gap);
      codes[controls + static_cast<std::size_t>(e / 4)] |=
          static_cast<std::uint8_t>(code << 2 * (e % 4));
      for (unsigned byte = 0; byte <= code; ++byte) {
        codes.push_back(static_cast<std::uint8_t>(gap >> 8 * byte));
      }
      last = column;
    }
    rows.starts.push_back(static_cast<Entry>(codes.size()));
  }
  return rows;
}

std::optional<std::size_t> first_invalid_gaps(std::span<const Entry> offsets,
                                              std::span<const Entry> starts,
                                              std::span<const std::uint8_t> codes,
                                              std::int64_t n_columns) {
  const auto is_valid = [&](std::size_t i) {
    const Entry length = offsets[i + 1] - offsets[i];
    const Entry controls = (length + 3) / 4;
    const Entry begin = starts[i], end = starts[i + 1];
    if (length < 0 || begin < 0 || end > static_cast<Entry>(codes.size()) ||
        end - begin < controls) {
      return false;
    }
    Entry at = begin + controls;
    std::int64_t column = -1;
    for (Entry e = 0; e < 4 * controls; ++e) {
      const Entry size = (codes[begin + e / 4] >> 2 * (e % 4) & 3) + 1;
      if (e >= length) {
        if (size != 1) return false;
        continue;
      }
      if (end - at < size) return false;
      std::int64_t gap = 0;
      for (Entry byte = 0; byte < size; ++byte) {
        gap |= static_cast<std::int64_t>(codes[at + byte]) << 8 * byte;
      }
      at += size;
      column += gap + 1;
      if (column >= n_columns) return false;
    }
    return at == end;
  };
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (!is_valid(i)) return i;
  }
  return std::nullopt;
}

}  // namespace powercut
