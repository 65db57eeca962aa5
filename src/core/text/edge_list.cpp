#include "text/edge_list.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace powercut {
void EdgeList::add_chunk() {
  // Not zero-initialized: every element is written before it is read.
  std::unique_ptr<Chunk> chunk(new Chunk);
  if (weighted_) chunk->weights.reset(new double[chunk_size]);
  chunks_.push_back(std::move(chunk));
}

/// Switches from ids as node numbers to a hash table of ids.
void EdgeList::make_sparse() {
  numbers_.make_sparse();
  for (const auto& chunk : chunks_) {
    for (std::size_t e = 0; e < chunk->size; ++e) {
      chunk->u[e] = numbers_.number(chunk->u[e]);
      chunk->v[e] = numbers_.number(chunk->v[e]);
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
  for (const auto& chunk : chunks_) {
    for (std::size_t e = 0; e < chunk->size; ++e) {
      chunk->u[e] = number(chunk->u[e]);
      chunk->v[e] = number(chunk->v[e]);
    }
    ticker.tick(static_cast<std::int64_t>(chunk->size));
  }
}

/// Numbers the ids that occur 0, 1, ... in increasing order, by a bitmap with one bit per possible
/// id and the number of bits set before each word. The bitmap is small enough for the cache.
Node EdgeList::number_by_bits(Ticker& ticker) {
  const std::size_t range = static_cast<std::size_t>(numbers_.largest_small()) + 1;
  std::vector<std::uint64_t> bits(range / 64 + 1, 0);
  const auto mark = [&](Node id) { bits[id >> 6] |= std::uint64_t{1} << (id & 63); };
  for (const auto& chunk : chunks_) {
    for (std::size_t e = 0; e < chunk->size; ++e) {
      mark(chunk->u[e]);
      mark(chunk->v[e]);
    }
    ticker.tick(static_cast<std::int64_t>(chunk->size));
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
  std::iota(order.begin(), order.end(), Node{0});
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
  // The bitmap must not be much larger than the edges.
  if (!numbers_.is_sparse() && numbers_.largest_small() > 1024 + 64 * size_) make_sparse();
  return numbers_.is_sparse() ? number_by_order(ticker) : number_by_bits(ticker);
}

Rows EdgeList::take_rows(Mirror mirror, CancellationToken& token) {
  Ticker ticker(token);
  RowBuilder rows(number_nodes(ticker), weighted_);
  for (auto& chunk : chunks_) {
    for (std::size_t e = 0; e < chunk->size; ++e) {
      rows.add(chunk->u[e], chunk->v[e], weighted_ ? chunk->weights[e] : 1.0);
    }
    ticker.tick(static_cast<std::int64_t>(chunk->size));
    chunk.reset();
  }
  chunks_.clear();
  Rows taken = rows.take(mirror, ticker);
  repeats_ = taken.repeats;
  return taken;
}

}  // namespace powercut
