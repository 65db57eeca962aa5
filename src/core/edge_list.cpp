#include "edge_list.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace powercut {

void EdgeList::add_block() {
  // Not set to zeros: every element is written before it is read.
  std::unique_ptr<Block> block(new Block);
  if (weighted_) block->weights.reset(new double[block_size]);
  blocks_.push_back(std::move(block));
}

/// So far nodes had the numbers of their ids; from now on a table has them.
void EdgeList::make_sparse() {
  numbers_.make_sparse();
  for (const auto& block : blocks_) {
    for (std::size_t e = 0; e < block->size; ++e) {
      block->u[e] = numbers_.number(block->u[e]);
      block->v[e] = numbers_.number(block->v[e]);
    }
  }
}

void EdgeList::add_sparse(std::int64_t u, std::int64_t v, double weight) {
  if (!numbers_.is_sparse()) make_sparse();
  const Node a = numbers_.number(u);
  append(a, numbers_.number(v), weight);
}

void EdgeList::renumber(std::span<const Node> number, Ticker& ticker) {
  for (const auto& block : blocks_) {
    for (std::size_t e = 0; e < block->size; ++e) {
      block->u[e] = number[block->u[e]];
      block->v[e] = number[block->v[e]];
    }
    ticker.tick(static_cast<std::int64_t>(block->size));
  }
}

/// Numbers the ids that occur from 0 on, in increasing order, by a table of all up to the largest.
Node EdgeList::number_by_table(Ticker& ticker) {
  std::vector<Node> number(static_cast<std::size_t>(numbers_.largest_small()) + 1, 0);
  for (const auto& block : blocks_) {
    for (std::size_t e = 0; e < block->size; ++e) number[block->u[e]] = number[block->v[e]] = 1;
    ticker.tick(static_cast<std::int64_t>(block->size));
  }
  Node n = 0;
  for (Node& one : number) n += std::exchange(one, n);
  if (static_cast<std::size_t>(n) == number.size()) return n;
  ids_.resize(n);
  // An id that does not occur has the number of the next that does, which comes to write last.
  for (std::size_t id = 0; id < number.size(); ++id) ids_[number[id]] = static_cast<Node>(id);
  renumber(number, ticker);
  return n;
}

/// The same by sorting.
Node EdgeList::number_by_order(Ticker& ticker) {
  const std::vector<std::int64_t>& came = numbers_.ids();
  std::vector<Node> order(came.size()), number(came.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Node a, Node b) { return came[a] < came[b]; });
  ids_.resize(came.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    number[order[i]] = static_cast<Node>(i);
    ids_[i] = came[order[i]];
  }
  renumber(number, ticker);
  return static_cast<Node>(came.size());
}

Node EdgeList::number_nodes(Ticker& ticker) {
  if (n_nodes_) return *n_nodes_;
  if (names_) return name_numbers_.size();
  // A table must not outgrow the edges by much.
  if (!numbers_.is_sparse() && numbers_.largest_small() > 1024 + 16 * size_) make_sparse();
  return numbers_.is_sparse() ? number_by_order(ticker) : number_by_table(ticker);
}

Rows EdgeList::take_rows(Mirror mirror, Cancel& cancel) {
  Ticker ticker(cancel);
  RowBuilder rows(number_nodes(ticker), size_, weighted_);
  for (const auto& block : blocks_) {
    for (std::size_t e = 0; e < block->size; ++e) rows.count(block->u[e], block->v[e]);
    ticker.tick(static_cast<std::int64_t>(block->size));
  }
  rows.allot();
  for (auto& block : blocks_) {
    for (std::size_t e = 0; e < block->size; ++e) {
      rows.place(block->u[e], block->v[e], weighted_ ? block->weights[e] : 1.0);
    }
    ticker.tick(static_cast<std::int64_t>(block->size));
    block.reset();
  }
  blocks_.clear();
  return rows.take(mirror, ticker);
}

}  // namespace powercut
