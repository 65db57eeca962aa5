#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/symmetric_rows.hpp"
#include "text/ids.hpp"

namespace powercut {

/// Edges as they come from a file, their ends numbered as they come, and the rows of the matrix
/// that they make at last. Ids are whole numbers of 64 bits, or names.
///
/// Edges are held in blocks: nothing is copied as they grow more, and a block is let go of once
/// it is in the matrix, so that both never fill the memory together.
class EdgeList {
 public:
  EdgeList(bool names, bool weighted) : names_(names), weighted_(weighted) {}
  EdgeList(const EdgeList&) = delete;
  EdgeList& operator=(const EdgeList&) = delete;

  bool has_names() const { return names_; }
  bool is_weighted() const { return weighted_; }
  std::int64_t size() const { return size_; }

  /// The weight is looked at where edges are weighted only.
  void add(std::int64_t u, std::int64_t v, double weight) {
    if (IdNumbers::is_small(u) && IdNumbers::is_small(v) && !numbers_.is_sparse()) [[likely]] {
      numbers_.note_small(static_cast<Node>(u));
      numbers_.note_small(static_cast<Node>(v));
      return append(static_cast<Node>(u), static_cast<Node>(v), weight);
    }
    add_sparse(u, v, weight);
  }
  /// Names are valid UTF-8.
  void add(std::string_view u, std::string_view v, double weight) {
    const Node a = name_numbers_.number(u);
    append(a, name_numbers_.number(v), weight);
  }
  /// Before the first edge: nodes are 0 to n - 1, whether they have edges or not.
  void fix_nodes(Node n, bool weighted) {
    n_nodes_ = n;
    weighted_ = weighted;
  }

  /// Sorted rows of the symmetric matrix. Leaves no edges behind.
  Rows take_rows(Mirror mirror, Cancel& cancel);
  /// After `take_rows`: the id of each node, in increasing order; none where they are 0 to n - 1.
  const std::vector<std::int64_t>& ids() const { return ids_; }
  /// After `take_rows`: the name of each node, in the order in which they came.
  const NameNumbers& names() const { return name_numbers_; }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 16;
  struct Block {
    std::array<Node, block_size> u, v;
    std::unique_ptr<double[]> weights;
    std::size_t size = 0;
  };

  void append(Node u, Node v, double weight) {
    if (blocks_.empty() || blocks_.back()->size == block_size) add_block();
    Block& block = *blocks_.back();
    block.u[block.size] = u;
    block.v[block.size] = v;
    if (weighted_) block.weights[block.size] = weight;
    ++block.size;
    ++size_;
  }
  void add_block();
  void add_sparse(std::int64_t u, std::int64_t v, double weight);
  void make_sparse();
  template <class Number>
  void renumber(Number&& number, Ticker& ticker);
  Node number_by_bits(Ticker& ticker);
  Node number_by_order(Ticker& ticker);
  Node number_nodes(Ticker& ticker);

  bool names_, weighted_;
  std::int64_t size_ = 0;
  std::optional<Node> n_nodes_;
  IdNumbers numbers_;
  NameNumbers name_numbers_;
  std::vector<std::int64_t> ids_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace powercut
