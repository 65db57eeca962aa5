#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.hpp"
#include "text/edge_list.hpp"

namespace powercut {

/// Reads the METIS format from text that arrives in chunks: a line with the numbers of nodes and
/// edges, then a line per node with its neighbors, counted from 1. Throws BadText for anything
/// else. Lines may have any length.
class MetisReader {
 public:
  explicit MetisReader(EdgeList& edges) : edges_(edges) {}

  void feed(std::string_view text, CancellationToken& token);
  /// Call after the last chunk.
  void finish();
  /// Whether nodes have weights or sizes, which an EdgeList cannot store.
  bool has_node_weights() const { return n_before_ > 0; }

 private:
  void end_token();
  void end_line();
  void read_header();
  [[noreturn]] void fail(const std::string& message) const;

  EdgeList& edges_;
  std::int64_t line_ = 1, column_ = 0;  // column 0 is before the first character
  bool comment_ = false;

  bool in_token_ = false;
  std::int64_t token_column_ = 0, value_ = 0;

  std::vector<std::int64_t> header_;
  bool header_read_ = false;
  std::int64_t n_nodes_ = 0, n_edges_ = 0;
  bool weighted_ = false;
  std::int64_t n_before_ = 0;  // numbers before the neighbors in a line

  std::int64_t node_ = 0, n_tokens_ = 0;  // of the current line
  std::int64_t neighbor_ = -1;            // neighbor whose weight has not been read yet
};

}  // namespace powercut
