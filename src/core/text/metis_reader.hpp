#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.hpp"
#include "text/edge_list.hpp"

namespace powercut {

/// Reads the format of METIS from a text that comes in pieces: a line with the numbers of nodes
/// and edges, then a line for each node with its neighbours, counted from 1. Throws BadText for
/// anything else. Lines may be of any length.
class MetisText {
 public:
  explicit MetisText(EdgeList& edges) : edges_(edges) {}

  void feed(std::string_view text, Cancel& cancel);
  /// After the last piece.
  void finish();
  /// Whether nodes have weights or sizes, which an EdgeList has no room for.
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
  std::int64_t n_before_ = 0;  // numbers before the neighbours of a line

  std::int64_t node_ = 0, n_tokens_ = 0;  // of the line
  std::int64_t neighbour_ = -1;           // that waits for its weight
};

}  // namespace powercut
