#include "text/ids.hpp"

#include <algorithm>

namespace powercut {
namespace {

constexpr std::size_t first_size = 1024;
constexpr std::size_t most = most_nodes;

std::uint64_t hash_of(std::int64_t id, const HashKey& key) {
  return sip_hash({reinterpret_cast<const char*>(&id), sizeof id}, key);
}

}  // namespace

Node IdNumbers::number(std::int64_t id) {
  if (2 * (ids_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_of(id, key_) & mask;; at = (at + 1) & mask) {
    if (slots_[at] < 0) {
      if (ids_.size() == most) throw TooManyNodes();
      slots_[at] = static_cast<Node>(ids_.size());
      ids_.push_back(id);
      return slots_[at];
    }
    if (ids_[slots_[at]] == id) return slots_[at];
  }
}

void IdNumbers::grow() {
  slots_.assign(std::max(first_size, 2 * slots_.size()), -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    std::size_t at = hash_of(ids_[i], key_) & mask;
    while (slots_[at] >= 0) at = (at + 1) & mask;
    slots_[at] = static_cast<Node>(i);
  }
}

std::string_view NameNumbers::name(Node number) const {
  const std::int64_t begin = number == 0 ? 0 : ends_[number - 1];
  return std::string_view(text_).substr(begin, ends_[number] - begin);
}

Node NameNumbers::number(std::string_view wanted) {
  if (2 * (ends_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = sip_hash(wanted, key_);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.number < 0) {
      if (ends_.size() == most) throw TooManyNodes();
      slot = {hash, size()};
      text_ += wanted;
      ends_.push_back(static_cast<std::int64_t>(text_.size()));
      return slot.number;
    }
    if (slot.hash == hash && name(slot.number) == wanted) return slot.number;
  }
}

void NameNumbers::grow() {
  std::vector<Slot> before(std::max(first_size, 2 * slots_.size()));
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.number < 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].number >= 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace powercut
