#include "text/edge_list_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "text/parsing.hpp"

namespace powercut {
namespace {

// A longer line is no edge; this bounds the memory that a file without line ends takes.
constexpr std::size_t longest_line = std::size_t{1} << 20;
// Any number of so many digits fits in 64 bits.
constexpr std::ptrdiff_t safe_digits = 18;

/// Parses the digits at `at` and moves it past them. A character that is no digit must follow.
inline std::int64_t digits(const char*& at) {
  std::int64_t value = 0;
  for (; is_digit(*at); ++at) {
    value = static_cast<std::int64_t>(10 * static_cast<std::uint64_t>(value) +
                                      static_cast<std::uint64_t>(*at - '0'));
  }
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

EdgeListReader::EdgeListReader(EdgeList& edges, const LineFormat& lines)
    : edges_(edges),
      delimiter_(lines.delimiter),
      n_columns_(static_cast<std::size_t>(lines.n_columns)),
      header_(lines.header) {}

void EdgeListReader::feed(std::string_view text, CancellationToken& token) {
  Ticker ticker(token);
  if (!begun_.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    begun_ += text.substr(0, text.empty() ? 0 : end);
    text.remove_prefix(text.empty() ? 0 : end);
    if (begun_.back() == '\n') {
      read_lines(begun_, &ticker);
      begun_.clear();
    }
  }
  const std::size_t whole = text.rfind('\n') + 1;  // 0 without a line end
  read_lines(text.substr(0, whole), &ticker);
  begun_ += text.substr(whole);
  if (begun_.size() > longest_line) {
    line_begin_ = begun_.data();
    ++line_;
    fail(begun_, "the line does not end within " + std::to_string(longest_line) +
                     " bytes, and cannot be an edge");
  }
}

void EdgeListReader::finish() {
  if (begun_.empty()) return;
  begun_ += '\n';
  read_lines(begun_, nullptr);
  begun_.clear();
}

/// Reads complete lines.
void EdgeListReader::read_lines(std::string_view lines, Ticker* ticker) {
  const char* at = lines.data();
  const char* const end = at + lines.size();
  const bool fast =
      !edges_.has_names() && n_columns_ == std::size_t{2} + (edges_.is_weighted() ? 1 : 0);
  while (at != end) {
    ++line_;
    if (fast && !header_) {
      if (const char* next = fast_line(at, end)) [[likely]] {
        if (ticker != nullptr) ticker->tick(1);
        at = next;
        continue;
      }
    }
    const char* stop = static_cast<const char*>(std::memchr(at, '\n', end - at));
    read_line({at, stop});
    at = stop + 1;
    if (ticker != nullptr) ticker->tick(1);
  }
}

/// The fast path for the usual line: two numbers separated by one character. Returns where the next
/// line begins; for any other line returns null and does nothing.
const char* EdgeListReader::fast_line(const char* at, const char* end) {
  const char* begin = at;
  const std::int64_t u = digits(at);
  if (at == begin || at - begin > safe_digits || !separates(*at)) return nullptr;
  begin = ++at;
  const std::int64_t v = digits(at);
  if (at == begin || at - begin > safe_digits) return nullptr;
  double weight = 1;
  if (edges_.is_weighted()) {
    if (!separates(*at) || !is_digit(*++at)) return nullptr;
    const auto number = leading_number(at, end);
    if (!number || !std::isfinite(*number)) return nullptr;
    weight = *number;
  }
  if (*at == '\r') ++at;
  if (*at != '\n') return nullptr;
  edges_.add(u, v, weight);
  return at + 1;
}

void EdgeListReader::read_line(std::string_view line) {
  line_begin_ = line.data();
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::string_view text = trimmed(line);
  if (text.empty() || text.front() == '#' || text.front() == '%') return;
  split(delimiter_ == 0 ? text : line);
  if (fields_.size() != n_columns_) {
    fail(fields_.size() > n_columns_ ? fields_[n_columns_] : line.substr(line.size()),
         "the line has " + std::to_string(fields_.size()) + " columns where the first has " +
             std::to_string(n_columns_));
  }
  if (header_) {
    header_ = false;
    return;
  }
  const double weight = edges_.is_weighted() ? weight_of(fields_[2]) : 1.0;
  if (edges_.has_names()) {
    const std::string_view u = name_of(fields_[0], kept_u_);
    edges_.add(u, name_of(fields_[1], kept_v_), weight);
  } else {
    const std::int64_t u = id_of(fields_[0]);
    edges_.add(u, id_of(fields_[1]), weight);
  }
}

/// Finds the fields of a line, without surrounding blanks. Delimiters inside quotes do not count.
void EdgeListReader::split(std::string_view line) {
  fields_.clear();
  if (delimiter_ == 0) {
    while (!line.empty()) {
      const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
      fields_.push_back(line.substr(0, end));
      line = trimmed(line.substr(end));
    }
    return;
  }
  for (std::size_t begin = 0;;) {
    bool inside = false;
    std::size_t end = begin;
    for (; end < line.size() && (inside || line[end] != delimiter_); ++end) {
      inside ^= line[end] == '"';
    }
    fields_.push_back(trimmed(line.substr(begin, end - begin)));
    if (inside) fail(fields_.back(), "a quote is opened and not closed");
    if (end >= line.size()) return;
    begin = end + 1;
  }
}

std::int64_t EdgeListReader::id_of(std::string_view field) const {
  const std::string_view digits =
      delimiter_ != 0 && field.size() >= 2 && field.front() == '"' && field.back() == '"'
          ? field.substr(1, field.size() - 2)
          : field;
  const auto id = whole_number(digits);
  if (!id) {
    fail(field, field.empty() ? "there is no id"
                              : "the id " + quoted(field) + " is not a whole number of 64 bits");
  }
  return *id;
}

/// The name in a field, without quotes; stored in `kept` if it contains escaped quotes.
std::string_view EdgeListReader::name_of(std::string_view field, std::string& kept) const {
  std::string_view name = field;
  if (delimiter_ != 0 && !field.empty() && field.front() == '"') {
    if (field.size() < 2 || field.back() != '"') fail(field, "text follows a closing quote");
    name = field.substr(1, field.size() - 2);
    if (name.find('"') != std::string_view::npos) {
      kept.clear();
      for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '"' && (++i == name.size() || name[i] != '"')) {
          fail(field, "a quote within quotes must be doubled");
        }
        kept += name[i];
      }
      name = kept;
    }
  }
  if (name.empty()) fail(field, "there is no name");
  if (!is_printable_utf8(name)) {
    fail(field, "the name " + quoted(name) + " is not UTF-8, or has control characters");
  }
  return name;
}

double EdgeListReader::weight_of(std::string_view field) const {
  const char* at = field.data();
  const char* const end = at + field.size();
  const auto weight = leading_number(at, end);
  if (!weight || at != end) {
    fail(field, field.empty() ? "there is no weight"
                              : "the weight " + quoted(field) + " is not a number of 64 bits");
  }
  if (!(*weight >= 0) || !std::isfinite(*weight)) {
    fail(field, "the weight " + quoted(field) + " is not finite, or negative");
  }
  return *weight;
}

void EdgeListReader::fail(std::string_view field, const std::string& message) const {
  throw BadText(line_, field.data() - line_begin_ + 1, message);
}

}  // namespace powercut
