#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace powercut {

/// A syntax error in a text file, with its position.
class BadText : public std::runtime_error {
 public:
  /// Lines and columns count from 1, columns in bytes.
  BadText(std::int64_t at_line, std::int64_t at_column, const std::string& what_is_wrong)
      : std::runtime_error("line " + std::to_string(at_line) + ", column " +
                           std::to_string(at_column) + ": " + what_is_wrong),
        line(at_line),
        column(at_column),
        message(what_is_wrong) {}

  std::int64_t line, column;
  std::string message;
};

/// A field for an error message: truncated, and with non-printable bytes escaped.
std::string quoted(std::string_view field);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The 64-bit integer that a field consists of, if it is one.
std::optional<std::int64_t> whole_number(std::string_view field);

/// Parses the number that begins at `at` and moves `at` to its end; none if there is no number, or
/// if it is out of range. Independent of the locale.
std::optional<double> leading_number(const char*& at, const char* end);

/// Whether a name is valid UTF-8.
bool is_utf8(std::string_view name);

/// Whether a name has a control character of ASCII.
bool has_control_characters(std::string_view name);

}  // namespace powercut
