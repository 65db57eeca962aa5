#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace powercut {

/// Memory for large arrays that are read all over the place: asks the system for large
/// pages, without which most of such a read is spent on finding the page.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (bytes < page) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* memory = ::operator new(whole, std::align_val_t(page));
#if defined(__linux__)
    madvise(memory, whole, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < page) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t(page));
  }

  template <class U>
  bool operator==(const LargePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t page = std::size_t{1} << 21;
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace powercut
