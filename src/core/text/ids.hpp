#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/node_limit.hpp"
#include "base/types.hpp"
#include "text/sip_hash.hpp"

namespace powercut {

/// More nodes than Node can number.
class TooManyNodes : public std::length_error {
 public:
  TooManyNodes() : std::length_error(too_many_nodes) {}
};

/// Numbers 64-bit ids 0, 1, ... in order of appearance. While all ids are small (node numbers),
/// they are their own numbers and need no table. Numbers do not depend on the key.
class IdNumbers {
 public:
  explicit IdNumbers(const HashKey& key = process_key()) : key_(key) {}

  static bool is_small(std::int64_t id) { return id >= 0 && id < most_nodes; }

  void note_small(Node id) { largest_ = id > largest_ ? id : largest_; }
  Node largest_small() const { return largest_; }

  bool is_sparse() const { return sparse_; }
  void make_sparse() { sparse_ = true; }
  Node number(std::int64_t id);
  const std::vector<std::int64_t>& ids() const { return ids_; }

 private:
  void grow();

  HashKey key_;
  bool sparse_ = false;
  Node largest_ = -1;
  std::vector<std::int64_t> ids_;
  std::vector<Node> slots_;  ///< -1: free; open addressing, at most half full
};

/// Numbers names 0, 1, ... in order of appearance. Numbers do not depend on the key.
class NameNumbers {
 public:
  explicit NameNumbers(const HashKey& key = process_key()) : key_(key) {}

  Node number(std::string_view name);
  Node size() const { return static_cast<Node>(ends_.size()); }
  const std::string& text() const { return text_; }  ///< all names concatenated
  const std::vector<std::int64_t>& ends() const { return ends_; }

 private:
  struct Slot {
    std::uint64_t hash;
    Node number = -1;
  };
  std::string_view name(Node number) const;
  void grow();

  HashKey key_;
  std::string text_;
  std::vector<std::int64_t> ends_;
  std::vector<Slot> slots_;
};

}  // namespace powercut
