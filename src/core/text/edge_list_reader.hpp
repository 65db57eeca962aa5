#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.hpp"
#include "text/edge_list.hpp"
#include "text/parsing.hpp"

namespace powercut {

/// What the lines of a file of edges are like.
struct EdgeLines {
  char delimiter = 0;   ///< between fields; 0 for any number of spaces and tabs
  int n_columns = 2;    ///< of every line; two ends, then a weight if edges are weighted
  bool header = false;  ///< whether the first line holds names of columns
};

/// Reads lines of edges from a text that comes in pieces. Empty lines, and those that begin with
/// # or %, are left out. Throws BadText for anything that is not an edge.
class EdgeText {
 public:
  EdgeText(EdgeList& edges, const EdgeLines& lines);

  void feed(std::string_view text, Cancel& cancel);
  /// After the last piece.
  void finish();

 private:
  void read_lines(std::string_view lines, Ticker* ticker);
  const char* fast_line(const char* at, const char* end);
  void read_line(std::string_view line);
  void split(std::string_view line);
  std::int64_t id_of(std::string_view field) const;
  std::string_view name_of(std::string_view field, std::string& kept) const;
  double weight_of(std::string_view field) const;
  [[noreturn]] void fail(std::string_view field, const std::string& message) const;
  bool separates(char c) const { return delimiter_ == 0 ? is_blank(c) : c == delimiter_; }

  EdgeList& edges_;
  char delimiter_;
  std::size_t n_columns_;
  bool header_;
  std::int64_t line_ = 0;             // that is being read, from 1
  std::string begun_;                 // the line that the last piece broke off
  const char* line_begin_ = nullptr;  // for the columns of messages
  std::vector<std::string_view> fields_;
  std::string kept_u_, kept_v_;  // names without their quotes
};

}  // namespace powercut
