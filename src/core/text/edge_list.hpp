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

/// Collects edges, numbers their nodes, and builds the rows of the symmetric matrix. Ids are 64-bit
/// integers, or names.
///
/// Edges are stored in chunks: growing copies nothing, and each chunk is freed once it is in the
/// matrix, so that edges and matrix never fill the memory at the same time.
class EdgeList {
 public:
  EdgeList(bool names, bool weighted) : names_(names), weighted_(weighted) {}
  EdgeList(const EdgeList&) = delete;
  EdgeList& operator=(const EdgeList&) = delete;

  bool has_names() const { return names_; }
  bool is_weighted() const { return weighted_; }
  std::int64_t size() const { return size_; }
  /// After `take_rows`: how many edges repeat an earlier one, in the same direction.
  std::int64_t repeats() const { return repeats_; }

  /// The weight is ignored if edges are unweighted.
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
  /// Must precede the first edge: nodes are 0 to n - 1, including those without edges.
  void fix_nodes(Node n, bool weighted) {
    n_nodes_ = n;
    weighted_ = weighted;
  }

  /// Sorted rows of the symmetric matrix. The list is empty afterwards.
  Rows take_rows(Mirror mirror, CancellationToken& token);
  /// After `take_rows`: the id of each node, in increasing order; empty if ids are 0 to n - 1.
  const std::vector<std::int64_t>& ids() const { return ids_; }
  /// After `take_rows`: the name of each node, in order of first appearance.
  const NameNumbers& names() const { return name_numbers_; }

 private:
  static constexpr std::size_t chunk_size = std::size_t{1} << 16;
  struct Chunk {
    std::array<Node, chunk_size> u, v;
    std::unique_ptr<double[]> weights;
    std::size_t size = 0;
  };

  void append(Node u, Node v, double weight) {
    if (chunks_.empty() || chunks_.back()->size == chunk_size) add_chunk();
    Chunk& chunk = *chunks_.back();
    chunk.u[chunk.size] = u;
    chunk.v[chunk.size] = v;
    if (weighted_) chunk.weights[chunk.size] = weight;
    ++chunk.size;
    ++size_;
  }
  void add_chunk();
  void add_sparse(std::int64_t u, std::int64_t v, double weight);
  void make_sparse();
  template <class Number>
  void renumber(Number&& number, Ticker& ticker);
  Node number_by_bits(Ticker& ticker);
  Node number_by_order(Ticker& ticker);
  Node number_nodes(Ticker& ticker);

  bool names_, weighted_;
  std::int64_t size_ = 0;
  std::int64_t repeats_ = 0;
  std::optional<Node> n_nodes_;
  IdNumbers numbers_;
  NameNumbers name_numbers_;
  std::vector<std::int64_t> ids_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace powercut
