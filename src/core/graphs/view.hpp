#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/members.hpp"
#include "base/types.hpp"
#include "graphs/gap_code.hpp"

namespace powercut {

/// The rows of a matrix in arrays owned by the caller.
///
/// One type for all storage formats: 32- or 64-bit offsets and indices; float32, float64 or no
/// weights (all entries are 1); compressed or dense rows; indices as they are or in gap code. The
/// format is dispatched once per row, outside the loop over its entries, so kernels need neither
/// copies nor templates for it.
///
/// A row may also stand for a group of rows of a finer matrix: the rows of its members are then
/// read one after the other, with columns replaced by their groups.
class GraphView {
 public:
  enum class Stored { none, float32, float64 };

  /// Compressed rows; `offsets` has rows + 1 elements.
  static GraphView compressed(Node rows, const void* offsets, bool wide_offsets,
                              const void* indices, bool wide_indices, const void* weights,
                              Stored stored) {
    GraphView view;
    view.rows_ = rows;
    view.offsets_ = offsets;
    view.wide_offsets_ = wide_offsets;
    view.indices_ = indices;
    view.wide_indices_ = wide_indices;
    view.weights_ = weights;
    view.stored_ = stored;
    return view;
  }

  /// Compressed rows with indices in gap code. Rows are sorted; `offsets` count entries as above.
  static GraphView gap_coded(Node rows, const void* offsets, bool wide_offsets,
                             const GapCodes& gaps, const void* weights, Stored stored) {
    GraphView view = compressed(rows, offsets, wide_offsets, nullptr, false, weights, stored);
    view.gaps_ = gaps;
    return view;
  }

  /// Dense rows of `columns` weights each.
  static GraphView dense(Node rows, Node columns, const void* weights, Stored stored) {
    GraphView view;
    view.rows_ = rows;
    view.columns_ = columns;
    view.weights_ = weights;
    view.stored_ = stored;
    return view;
  }

  /// Groups of rows of `fine`, which must outlive the view. `offsets`, of groups + 1 elements,
  /// count the entries of the groups' members.
  static GraphView grouped(const GraphView& fine, const Members& groups, const Label* group_of,
                           const Entry* offsets, Node n_groups) {
    GraphView view;
    view.rows_ = n_groups;
    view.offsets_ = offsets;
    view.wide_offsets_ = true;
    view.stored_ = fine.stored_;
    view.fine_ = &fine;
    view.groups_ = &groups;
    view.group_of_ = group_of;
    return view;
  }

  Node rows() const { return rows_; }

  /// Whether entries can differ from 1.
  bool is_weighted() const { return stored_ != Stored::none; }

  /// Whether a row may have an entry in the column of its own number.
  bool may_have_loops() const { return may_have_loops_; }
  /// For rows that are known to have none.
  GraphView without_loops() const {
    GraphView view = *this;
    view.may_have_loops_ = false;
    return view;
  }

  /// The number of entries.
  Entry size() const { return begin_of(rows_); }

  /// Where the entries of a row begin.
  Entry begin_of(Node node) const {
    return offsets_ == nullptr ? static_cast<Entry>(node) * columns_ : offset(node);
  }

  Entry length(Node node) const {
    return offsets_ == nullptr ? columns_ : offset(node + 1) - offset(node);
  }

  /// Starts to load the offset of a row, or its first entries, into the cache.
  void prefetch_offset(Node node) const {
    if (fine_ != nullptr) {
      for (const Node member : first_of(node)) fine_->prefetch_offset(member);
    } else if (offsets_ != nullptr) {
      prefetch_at(offsets_, node, wide_offsets_);
      if (gaps_.codes != nullptr) prefetch_memory(gaps_.starts + node);
    }
  }
  void prefetch_entries(Node node) const {
    if (fine_ != nullptr) {
      for (const Node member : first_of(node)) fine_->prefetch_entries(member);
      return;
    }
    if (offsets_ == nullptr) return;
    const Entry begin = begin_of(node);
    if (gaps_.codes != nullptr) {
      prefetch_memory(gaps_.of(node));
      prefetch_memory(gaps_.of(node) + 64);
    } else {
      prefetch_at(indices_, begin, wide_indices_);
      prefetch_at(indices_, begin + 16, wide_indices_);
    }
    if (stored_ != Stored::none) prefetch_at(weights_, begin, stored_ == Stored::float64);
  }

  /// Starts to load what arrays have for the first columns of a row, if they are stored. For a
  /// group, starts to load the groups of the columns instead; `prefetch_groups` continues.
  template <class... T>
  void prefetch_columns(Node node, const T*... of_column) const {
    if (fine_ != nullptr) {
      for (const Node member : first_of(node)) fine_->prefetch_columns(member, group_of_);
    } else {
      for_first_columns(node, [=](Node column) { (prefetch_memory(of_column + column), ...); });
    }
  }
  template <class T>
  void prefetch_groups(Node node, const T* of_group) const {
    if (fine_ == nullptr) return;
    for (const Node member : first_of(node)) prefetch_groups_of(member, of_group);
  }

  /// In a pass over all rows, starts to load what arrays have for the first columns of the row that
  /// is read soon after this one.
  template <class... T>
  void prefetch_later_columns(Node node, const T*... of_column) const {
    constexpr Node ahead = 4;
    if (rows_ - node > ahead) prefetch_columns(node + ahead, of_column...);
  }

  /// The column and the weight of the entry at a position in a row. Not for groups.
  Node neighbor(Node node, Entry place) const {
    const Entry at = begin_of(node) + place;
    if (offsets_ == nullptr) return static_cast<Node>(place);
    if (gaps_.codes != nullptr) return decoded(node, place);
    return static_cast<Node>(wide_indices_ ? static_cast<const std::int64_t*>(indices_)[at]
                                           : static_cast<const std::int32_t*>(indices_)[at]);
  }
  double weight(Node node, Entry place) const {
    const Entry at = begin_of(node) + place;
    switch (stored_) {
      case Stored::float32: return static_cast<const float*>(weights_)[at];
      case Stored::float64: return static_cast<const double*>(weights_)[at];
      case Stored::none: break;
    }
    return 1;
  }

  /// The position of a column in a sorted row, -1 if it is not there. Not for groups.
  Entry find(Node node, Node column) const {
    if (gaps_.codes != nullptr) return find_decoded(node, column);
    Entry first = 0;
    Entry count = length(node);
    while (count > 0) {
      const Entry half = count / 2;
      if (neighbor(node, first + half) < column) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first < length(node) && neighbor(node, first) == column ? first : -1;
  }

  /// Calls visit(neighbor, weight) for each stored entry of a row, in order. What an array has for
  /// the neighbors of a group's members is prefetched while members before them are read.
  template <class Visit, class T = Label>
  void for_each(Node node, Visit&& visit, const T* of_neighbor = nullptr) const {
    if (fine_ == nullptr) return for_each_stored(node, visit);
    for_each_of(groups_->of(node), visit, of_neighbor);
  }

  /// The members of a group; none if rows are stored.
  std::span<const Node> members(Node node) const {
    return fine_ == nullptr ? std::span<const Node>() : groups_->of(node);
  }

  /// The number of entries of some rows, or of some members of a group.
  Entry length_of(std::span<const Node> rows) const {
    Entry entries = 0;
    for (const Node row : rows) entries += length(row);
    return entries;
  }
  Entry length_of_members(std::span<const Node> members) const { return fine_->length_of(members); }

  /// Calls visit(neighbor, weight) for each entry of some members of a group, as for all of them.
  template <class Visit, class T = Label>
  void for_each_of(std::span<const Node> members, Visit&& visit,
                   const T* of_neighbor = nullptr) const {
    const Label* const group_of = group_of_;
    for (std::size_t m = 0; m < members.size(); ++m) {
      // The first ones were prefetched before the group is read.
      const auto ahead = [&](std::size_t by, auto&& prefetch) POWERCUT_INLINE {
        if (m + by >= lookahead && m + by < members.size()) prefetch(members[m + by]);
      };
      ahead(lookahead, [&](Node member) { fine_->prefetch_offset(member); });
      ahead(lookahead / 2, [&](Node member) { fine_->prefetch_entries(member); });
      ahead(lookahead / 4, [&](Node member) { fine_->prefetch_columns(member, group_of); });
      if (of_neighbor != nullptr) {
        ahead(lookahead / 8, [&](Node member) { prefetch_groups_of(member, of_neighbor); });
      }
      fine_->for_each_stored(members[m], [&visit, group_of](Node other, double w)
                                             POWERCUT_INLINE { visit(group_of[other], w); });
    }
  }

 private:
  GraphView() = default;

  template <class Visit>
  void for_each_stored(Node node, Visit&& visit) const {
    const Entry begin = begin_of(node);
    const Entry count = length(node);
    if (offsets_ == nullptr) {
      with_weights(begin, [&](auto weight) {
        for (Entry e = 0; e < count; ++e) visit(static_cast<Node>(e), weight(e));
      });
    } else if (gaps_.codes != nullptr) {
      with_weights(begin, [&](auto weight) {
        for_each_chunk(node, count, [&](Entry first, Entry n, const std::uint32_t* columns) {
          for (Entry e = 0; e < n; ++e) visit(static_cast<Node>(columns[e]), weight(first + e));
          return true;
        });
      });
    } else if (wide_indices_) {
      visit_row(static_cast<const std::int64_t*>(indices_) + begin, begin, count, visit);
    } else {
      visit_row(static_cast<const std::int32_t*>(indices_) + begin, begin, count, visit);
    }
  }

  /// Decodes `count` columns of a row and calls visit(first, n, columns) for each chunk, until it
  /// returns false.
  template <class Visit>
  void for_each_chunk(Node node, Entry count, Visit&& visit) const {
    std::uint32_t columns[gap_chunk];
    GapReader row(gaps_.of(node), length(node));
    for (Entry first = 0; first < count; first += gap_chunk) {
      const Entry n = std::min(gap_chunk, count - first);
      decode_gaps(row, n, columns);
      if (!visit(first, n, columns)) return;
    }
  }

  /// Calls visit(column) for the first entries of a row, if their indices have no more bits than
  /// node numbers.
  template <class Visit>
  void for_first_columns(Node node, Visit&& visit) const {
    if (offsets_ == nullptr || (wide_indices_ && !wide_nodes)) return;
    constexpr Entry most = 32;
    const Entry count = std::min(most, length(node));
    if (gaps_.codes != nullptr) {
      std::uint32_t columns[most];
      GapReader row(gaps_.of(node), length(node));
      decode_gaps(row, count, columns);
      for (Entry e = 0; e < count; ++e) visit(static_cast<Node>(columns[e]));
      return;
    }
    if constexpr (wide_nodes) {
      if (wide_indices_) {
        const Node* const index = static_cast<const Node*>(indices_) + begin_of(node);
        for (Entry e = 0; e < count; ++e) visit(index[e]);
        return;
      }
    }
    const std::int32_t* const index = static_cast<const std::int32_t*>(indices_) + begin_of(node);
    for (Entry e = 0; e < count; ++e) visit(index[e]);
  }

  Node decoded(Node node, Entry place) const {
    Node column = 0;
    for_each_chunk(node, place + 1, [&](Entry, Entry n, const std::uint32_t* columns) {
      column = static_cast<Node>(columns[n - 1]);
      return true;
    });
    return column;
  }

  Entry find_decoded(Node node, Node column) const {
    Entry place = -1;
    const std::uint32_t wanted = static_cast<std::uint32_t>(column);
    for_each_chunk(node, length(node), [&](Entry first, Entry n, const std::uint32_t* columns) {
      const std::uint32_t* const at = std::lower_bound(columns, columns + n, wanted);
      if (at == columns + n) return true;
      if (*at == wanted) place = first + (at - columns);
      return false;
    });
    return place;
  }

  /// Members of a group prefetched before it is read; the others follow while it is read.
  static constexpr std::size_t lookahead = 8;
  std::span<const Node> first_of(Node group) const {
    const std::span<const Node> members = groups_->of(group);
    return members.first(std::min(lookahead, members.size()));
  }

  /// Starts to load what an array has for the groups of the first columns of a member.
  template <class T>
  void prefetch_groups_of(Node member, const T* of_group) const {
    const Label* const group_of = group_of_;
    fine_->for_first_columns(member,
                             [=](Node column) { prefetch_memory(of_group + group_of[column]); });
  }

  static void prefetch_at(const void* array, Entry at, bool wide) {
    prefetch_memory(static_cast<const char*>(array) + at * (wide ? 8 : 4));
  }

  Entry offset(Node row) const {
    return wide_offsets_ ? static_cast<const std::int64_t*>(offsets_)[row]
                         : static_cast<const std::int32_t*>(offsets_)[row];
  }

  template <class Index, class Visit>
  void visit_row(const Index* index, Entry begin, Entry count, Visit& visit) const {
    with_weights(begin, [&](auto weight) {
      for (Entry e = 0; e < count; ++e) visit(static_cast<Node>(index[e]), weight(e));
    });
  }

  template <class Body>
  void with_weights(Entry begin, Body&& body) const {
    if (stored_ == Stored::none) {
      body([](Entry) { return 1.0; });
    } else if (stored_ == Stored::float32) {
      const float* w = static_cast<const float*>(weights_) + begin;
      body([w](Entry e) { return static_cast<double>(w[e]); });
    } else {
      const double* w = static_cast<const double*>(weights_) + begin;
      body([w](Entry e) { return w[e]; });
    }
  }

  Node rows_ = 0;
  Node columns_ = 0;
  const void* offsets_ = nullptr;
  bool wide_offsets_ = false;
  const void* indices_ = nullptr;
  bool wide_indices_ = false;
  GapCodes gaps_;  ///< in place of `indices_`, if there are codes
  const void* weights_ = nullptr;
  Stored stored_ = Stored::none;
  bool may_have_loops_ = true;
  const GraphView* fine_ = nullptr;  ///< not null: rows are groups of rows of it
  const Members* groups_ = nullptr;
  const Label* group_of_ = nullptr;
};

}  // namespace powercut
