#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace powercut {

/// More nodes than a graph can have.
class TooManyNodes : public std::length_error {
 public:
  TooManyNodes() : std::length_error("a graph has at most 2^31 - 1 nodes") {}
};

/// Numbers whole numbers of 64 bits from 0 on, as they come. Small ones need no table as long as
/// there is none that is not small: they are their own numbers.
class IdNumbers {
 public:
  static bool is_small(std::int64_t id) { return id >= 0 && id < limit; }

  void note_small(Node id) { largest_ = id > largest_ ? id : largest_; }
  Node largest_small() const { return largest_; }

  bool is_sparse() const { return sparse_; }
  void make_sparse() { sparse_ = true; }
  Node number(std::int64_t id);
  const std::vector<std::int64_t>& ids() const { return ids_; }

 private:
  static constexpr std::int64_t limit = (std::int64_t{1} << 31) - 1;
  void grow();

  bool sparse_ = false;
  Node largest_ = -1;
  std::vector<std::int64_t> ids_;
  std::vector<Node> slots_;  ///< -1 where free; open addressing, at most half full
};

/// Numbers names from 0 on, as they come.
class NameNumbers {
 public:
  Node number(std::string_view name);
  Node size() const { return static_cast<Node>(ends_.size()); }
  const std::string& text() const { return text_; }  ///< all names, one after the other
  const std::vector<std::int64_t>& ends() const { return ends_; }

 private:
  struct Slot {
    std::uint64_t hash;
    Node number = -1;
  };
  std::string_view name(Node number) const;
  void grow();

  std::string text_;
  std::vector<std::int64_t> ends_;
  std::vector<Slot> slots_;
};

}  // namespace powercut
