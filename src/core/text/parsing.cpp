#include "text/parsing.hpp"

#include <algorithm>
#include <charconv>
#if !defined(__cpp_lib_to_chars)
#include <locale>
#include <sstream>
#endif

namespace powercut {

std::string quoted(std::string_view field) {
  constexpr std::size_t most = 40;
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "'";
  for (const char c : field.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text + (field.size() > most ? "...'" : "'");
}

std::optional<std::int64_t> whole_number(std::string_view field) {
  std::int64_t value = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> leading_number(const char*& at, const char* end) {
  const char* begin = at != end && *at == '+' ? at + 1 : at;
  if (begin == end || (begin != at && *begin == '-')) return std::nullopt;
  double value = 0;
#if defined(__cpp_lib_to_chars)
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc()) return std::nullopt;
  at = stop;
#else
  const char* stop = begin;
  while (stop != end && (is_digit(*stop) || std::string_view("+-.eE").find(*stop) < 5)) ++stop;
  std::istringstream stream(std::string(begin, stop));
  stream.imbue(std::locale::classic());
  if (!(stream >> value)) return std::nullopt;
  at = stream.eof() ? stop : begin + static_cast<std::ptrdiff_t>(stream.tellg());
#endif
  return value;
}

bool has_control_characters(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

bool is_utf8(std::string_view name) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
  for (std::size_t i = 0; i < name.size();) {
    const unsigned char first = byte(i);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0  // continuation byte, or overlong form
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    if (length == 0 || i + length > name.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    }
    if (length == 3 && ((first == 0xe0 && byte(i + 1) < 0xa0) ||    // overlong form
                        (first == 0xed && byte(i + 1) >= 0xa0))) {  // surrogate
      return false;
    }
    if (length == 4 && ((first == 0xf0 && byte(i + 1) < 0x90) ||
                        (first == 0xf4 && byte(i + 1) >= 0x90))) {  // beyond Unicode
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace powercut
