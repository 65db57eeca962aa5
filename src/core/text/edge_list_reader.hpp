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

/// The format of the lines of an edge list.
struct LineFormat {
  char delimiter = 0;   ///< between fields; 0: any number of spaces and tabs
  int n_columns = 2;    ///< of every line: two ids, then a weight if edges are weighted
  bool header = false;  ///< whether the first line holds column names
};

/// Reads an edge list from text that arrives in chunks. A record is a line, or several if a field
/// in quotes, as in CSV, contains line ends. Empty lines and comments (lines that begin with # or
/// %) are skipped. Throws BadText for any other record that is not an edge.
class EdgeListReader {
 public:
  EdgeListReader(EdgeList& edges, const LineFormat& lines);

  void feed(std::string_view text, CancellationToken& token);
  /// Call after the last chunk.
  void finish();

 private:
  void read_begun(Ticker* ticker);
  std::size_t read_records(std::string_view text, Ticker* ticker);
  const char* fast_line(const char* at, const char* end);
  const char* record_end(const char* at, const char* end) const;
  void read_record(std::string_view record);
  void split(std::string_view record);
  std::int64_t id_of(std::string_view field) const;
  std::string_view name_of(std::string_view field, std::string& kept) const;
  double weight_of(std::string_view field) const;
  [[noreturn]] void fail(std::string_view field, const std::string& message) const;
  bool separates(char c) const { return delimiter_ == 0 ? is_blank(c) : c == delimiter_; }

  EdgeList& edges_;
  char delimiter_;
  std::size_t n_columns_;
  bool header_;
  std::int64_t line_ = 0;        // where the current record begins, from 1
  std::string begun_;            // incomplete last record of the previous chunk
  const char* begin_ = nullptr;  // of the current record, for positions in messages
  std::vector<std::string_view> fields_;
  std::string kept_u_, kept_v_;  // names after unescaping
};

}  // namespace powercut
