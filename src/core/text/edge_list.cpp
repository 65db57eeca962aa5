#include "text/edge_list.hpp"

#include <algorithm>
#include <bit>
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

template <class Number>
void EdgeList::renumber(Number&& number, Ticker& ticker) {
  for (const auto& block : blocks_) {
    for (std::size_t e = 0; e < block->size; ++e) {
      block->u[e] = number(block->u[e]);
      block->v[e] = number(block->v[e]);
    }
    ticker.tick(static_cast<std::int64_t>(block->size));
  }
}

/// Numbers the ids that occur from 0 on, in increasing order: by one bit for each up to the
/// largest, few enough to stay near, and how many are set before each word of them.
Node EdgeList::number_by_bits(Ticker& ticker) {
  const std::size_t range = static_cast<std::size_t>(numbers_.largest_small()) + 1;
  std::vector<std::uint64_t> bits(range / 64 + 1, 0);
  const auto mark = [&](Node id) { bits[id >> 6] |= std::uint64_t{1} << (id & 63); };
  for (const auto& block : blocks_) {
    for (std::size_t e = 0; e < block->size; ++e) {
      mark(block->u[e]);
      mark(block->v[e]);
    }
    ticker.tick(static_cast<std::int64_t>(block->size));
  }
  std::vector<Node> before(bits.size());
  Node n = 0;
  for (std::size_t word = 0; word < bits.size(); ++word) {
    before[word] = n;
    n += std::popcount(bits[word]);
  }
  if (static_cast<std::size_t>(n) == range) return n;
  ids_.reserve(n);
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
      ids_.push_back(static_cast<std::int64_t>(64 * word) + std::countr_zero(left));
    }
  }
  renumber(
      [&](Node id) {
        const std::uint64_t below = bits[id >> 6] & ((std::uint64_t{1} << (id & 63)) - 1);
        return before[id >> 6] + std::popcount(below);
      },
      ticker);
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
  renumber([&](Node id) { return number[id]; }, ticker);
  return static_cast<Node>(came.size());
}

Node EdgeList::number_nodes(Ticker& ticker) {
  if (n_nodes_) return *n_nodes_;
  if (names_) return name_numbers_.size();
  // Bits must not outgrow the edges by much.
  if (!numbers_.is_sparse() && numbers_.largest_small() > 1024 + 64 * size_) make_sparse();
  return numbers_.is_sparse() ? number_by_order(ticker) : number_by_bits(ticker);
}

Rows EdgeList::take_rows(Mirror mirror, Cancel& cancel) {
  Ticker ticker(cancel);
  RowBuilder rows(number_nodes(ticker), weighted_);
  for (auto& block : blocks_) {
    for (std::size_t e = 0; e < block->size; ++e) {
      rows.add(block->u[e], block->v[e], weighted_ ? block->weights[e] : 1.0);
    }
    ticker.tick(static_cast<std::int64_t>(block->size));
    block.reset();
  }
  blocks_.clear();
  return rows.take(mirror, ticker);
}

}  // namespace powercut
