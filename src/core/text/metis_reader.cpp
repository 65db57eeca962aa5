#include "text/metis_reader.hpp"

#include "base/node_limit.hpp"
#include "text/parsing.hpp"

namespace powercut {
namespace {

constexpr std::int64_t largest_number = std::int64_t{1} << 53;  // that a double represents exactly

}  // namespace

void MetisReader::feed(std::string_view text, CancellationToken& token) {
  Ticker ticker(token);
  for (const char c : text) {
    ++column_;
    if (c == '\n') {
      ticker.tick(column_);
      end_line();
    } else if (comment_) {
      continue;
    } else if (is_digit(c)) {
      if (!in_token_) {
        in_token_ = true;
        token_column_ = column_;
        value_ = 0;
      }
      value_ = 10 * value_ + (c - '0');
      if (value_ > largest_number) fail("the number is larger than 2^53");
    } else if (is_blank(c) || c == '\r') {
      if (in_token_) end_token();
    } else if (c == '%' && column_ == 1) {
      comment_ = true;
    } else {
      token_column_ = column_;
      fail(quoted({&c, 1}) + " is no part of a whole number");
    }
  }
}

void MetisReader::finish() {
  if (column_ > 0) end_line();
  token_column_ = 1;
  if (!header_read_) fail("there is no line with the numbers of nodes and edges");
  if (node_ < n_nodes_) {
    fail("the file ends after " + std::to_string(node_) + " of " + std::to_string(n_nodes_) +
         " lines, one for each node");
  }
  if (edges_.size() != 2 * n_edges_) {
    fail("there are " + std::to_string(edges_.size()) + " neighbors where " +
         std::to_string(n_edges_) + " edges, each in the lines of both its nodes, make " +
         std::to_string(2 * n_edges_));
  }
}

void MetisReader::end_token() {
  in_token_ = false;
  ++n_tokens_;
  if (!header_read_) {
    if (header_.size() == 4) fail("the first line has more than four numbers");
    return header_.push_back(value_);
  }
  if (node_ == n_nodes_) {
    fail("there are more lines than the " + std::to_string(n_nodes_) + " nodes of the first line");
  }
  if (n_tokens_ <= n_before_) return;
  if (neighbor_ >= 0) {
    if (value_ == 0) fail("the weight of an edge must be above 0");
    edges_.add(node_, neighbor_, static_cast<double>(value_));
    neighbor_ = -1;
    return;
  }
  if (value_ < 1 || value_ > n_nodes_) {
    fail("there is no node " + std::to_string(value_) + ": nodes are 1 to " +
         std::to_string(n_nodes_));
  }
  if (value_ == node_ + 1) fail("the node is its own neighbor, which METIS does not allow");
  if (weighted_) {
    neighbor_ = value_ - 1;
  } else {
    edges_.add(node_, value_ - 1, 1.0);
  }
}

void MetisReader::end_line() {
  if (in_token_) end_token();
  if (!comment_) {
    token_column_ = column_ > 0 ? column_ : 1;
    if (!header_read_) {
      read_header();
    } else if (node_ < n_nodes_) {
      if (neighbor_ >= 0) fail("the last neighbor has no weight");
      if (n_tokens_ < n_before_) {
        fail("the line has " + std::to_string(n_tokens_) + " numbers where the sizes and weights " +
             "of a node take " + std::to_string(n_before_));
      }
      ++node_;
    }
  }
  ++line_;
  column_ = n_tokens_ = 0;
  comment_ = false;
}

void MetisReader::read_header() {
  token_column_ = 1;
  if (header_.size() < 2) fail("the first line must hold the numbers of nodes and edges");
  header_.resize(4, -1);
  const std::int64_t format = header_[2] < 0 ? 0 : header_[2];
  n_nodes_ = header_[0];
  n_edges_ = header_[1];
  if (n_nodes_ > most_nodes) fail(too_many_nodes);
  if (format > 111 || format % 10 > 1 || format / 10 % 10 > 1) {
    fail("the format " + std::to_string(format) + " is none of 0, 1, 10, 11, 100, 101, 110, 111");
  }
  if (header_[3] >= 0 && (format / 10 % 10 == 0 || header_[3] == 0)) {
    fail("the number of weights of a node does not fit the format");
  }
  weighted_ = format % 10 == 1;
  n_before_ = (format / 10 % 10 == 1 ? (header_[3] < 0 ? 1 : header_[3]) : 0) + format / 100;
  edges_.fix_nodes(static_cast<Node>(n_nodes_), weighted_);
  header_read_ = true;
}

void MetisReader::fail(const std::string& message) const {
  throw BadText(line_, token_column_, message);
}

}  // namespace powercut
