#include "text/edge_list_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "text/parsing.hpp"

namespace powercut {
namespace {

// A longer record is no edge; this bounds the memory that a file without line ends takes.
constexpr std::size_t longest_record = std::size_t{1} << 20;
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

bool is_comment(std::string_view text) {
  return !text.empty() && (text.front() == '#' || text.front() == '%');
}

/// Where a quoted field ends, of which `at` is the first character after the opening quote: after
/// the closing quote. Null if there is none. Two quotes are one quote inside.
const char* after_quoted(const char* at, const char* end) {
  while (true) {
    at = std::find(at, end, '"');
    if (at == end) return nullptr;
    if (++at == end || *at != '"') return at;
    ++at;
  }
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
    read_begun(&ticker);
    if (!begun_.empty()) {  // the line has no end yet, or a quote in it
      begun_ += text;
      text = {};
      read_begun(&ticker);
    }
  }
  begun_ += text.substr(read_records(text, &ticker));
  if (begun_.size() > longest_record) {
    ++line_;
    begin_ = begun_.data();
    split(begun_);  // throws if a quote is not closed
    fail(begun_, "the line does not end within " + std::to_string(longest_record) +
                     " bytes, and cannot be an edge");
  }
}

void EdgeListReader::finish() {
  if (begun_.empty()) return;
  begun_ += '\n';
  read_begun(nullptr);
  if (begun_.empty()) return;
  ++line_;
  read_record(begun_);  // throws: a quote is not closed
}

void EdgeListReader::read_begun(Ticker* ticker) { begun_.erase(0, read_records(begun_, ticker)); }

/// Reads the complete records in a text, and returns where the first incomplete one begins.
std::size_t EdgeListReader::read_records(std::string_view text, Ticker* ticker) {
  const char* at = text.data();
  const char* const end = at + text.rfind('\n') + 1;  // 0 without a line end
  const bool fast =
      !edges_.has_names() && n_columns_ == std::size_t{2} + (edges_.is_weighted() ? 1 : 0);
  while (at != end) {
    if (fast && !header_) {
      if (const char* next = fast_line(at, end)) [[likely]] {
        ++line_;
        if (ticker != nullptr) ticker->tick(1);
        at = next;
        continue;
      }
    }
    const char* stop = record_end(at, end);
    if (stop == nullptr) break;
    ++line_;
    read_record({at, stop});
    line_ += std::count(at, stop, '\n');  // in quotes
    if (ticker != nullptr) ticker->tick(stop - at);
    at = stop + 1;
  }
  return static_cast<std::size_t>(at - text.data());
}

/// Where the record that begins at `at` ends: at a line end that is not in quotes. Null if there is
/// none. A field is in quotes if it begins with one; comments have no fields.
const char* EdgeListReader::record_end(const char* at, const char* end) const {
  const char* const stop = static_cast<const char*>(std::memchr(at, '\n', end - at));
  if (delimiter_ == 0 || std::find(at, stop, '"') == stop || is_comment(trimmed({at, stop}))) {
    return stop;
  }
  bool starts = true;  // whether only blanks precede in the field
  while (*at != '\n') {
    const char c = *at++;
    if (starts && c == '"') {
      at = after_quoted(at, end);
      if (at == nullptr) return nullptr;
    }
    starts = c == delimiter_ || (starts && is_blank(c));
  }
  return at;
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

void EdgeListReader::read_record(std::string_view record) {
  begin_ = record.data();
  if (!record.empty() && record.back() == '\r') record.remove_suffix(1);
  const std::string_view text = trimmed(record);
  if (text.empty() || is_comment(text)) return;
  split(delimiter_ == 0 ? text : record);
  if (fields_.size() != n_columns_) {
    fail(fields_.size() > n_columns_ ? fields_[n_columns_] : record.substr(record.size()),
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

/// Finds the fields of a record, without surrounding blanks. Delimiters inside quotes do not count.
void EdgeListReader::split(std::string_view record) {
  fields_.clear();
  if (delimiter_ == 0) {
    while (!record.empty()) {
      const std::size_t end = std::min(record.find_first_of(" \t"), record.size());
      fields_.push_back(record.substr(0, end));
      record = trimmed(record.substr(end));
    }
    return;
  }
  const char* at = record.data();
  const char* const end = at + record.size();
  while (true) {
    const char* const begin = at;
    while (at != end && *at != delimiter_ && is_blank(*at)) ++at;
    if (at != end && *at == '"') {
      const char* const quote = at;
      at = after_quoted(at + 1, end);
      if (at == nullptr) fail({quote, end}, "a quote is opened and not closed");
    }
    at = std::find(at, end, delimiter_);
    fields_.push_back(trimmed({begin, at}));
    if (at == end) return;
    ++at;
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
  // Quoted names may be empty and have any characters, such as line ends.
  const bool bare = name.data() == field.data();
  if (bare && name.empty()) fail(field, "there is no name");
  if (!is_utf8(name) || (bare && has_control_characters(name))) {
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
  const char* const before = field.data();
  const auto after_line =
      std::find(std::reverse_iterator(before), std::reverse_iterator(begin_), '\n');
  throw BadText(line_ + std::count(begin_, before, '\n'), before - after_line.base() + 1, message);
}

}  // namespace powercut
