#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace powercut {

/// Text that is not what it should be, and where.
class BadText : public std::runtime_error {
 public:
  /// Lines and columns count from 1, columns in bytes.
  BadText(std::int64_t line, std::int64_t column, const std::string& message)
      : std::runtime_error("line " + std::to_string(line) + ", column " + std::to_string(column) +
                           ": " + message) {}
};

/// A field as it can stand in a message: short, and printable whatever it holds.
std::string quoted(std::string_view field);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The whole number that a field is, if it is one of 64 bits.
std::optional<std::int64_t> whole_number(std::string_view field);

/// The number that begins at `at`, which is moved to its end; none where none begins there, or
/// where it is beyond what a double holds. Knows no locale.
std::optional<double> leading_number(const char*& at, const char* end);

/// Whether a name is valid UTF-8 without control characters.
bool is_printable_utf8(std::string_view name);

}  // namespace powercut
