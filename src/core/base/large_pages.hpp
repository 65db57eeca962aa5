#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace powercut {

/// Allocator for large arrays with random access. It asks for huge pages, without which most of the
/// time of a read goes into the translation of its address.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
#if defined(__linux__)
    if (bytes >= page) return static_cast<T*>(map(bytes));
#endif
    return static_cast<T*>(::operator new(bytes));
  }

  void deallocate(T* memory, std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
#if defined(__linux__)
    if (bytes >= page) {
      munmap(memory, bytes);
      return;
    }
#endif
    ::operator delete(memory);
  }

  template <class U>
  bool operator==(const LargePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t page = std::size_t{1} << 21;

#if defined(__linux__)
  /// Maps memory directly: freed memory then returns to the system at once, which a heap would
  /// keep.
  static void* map(std::size_t bytes) {
    static const std::size_t small = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = (bytes + small - 1) / small * small;
    void* const area =
        mmap(nullptr, used + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) throw std::bad_alloc();
    // Huge pages start at multiples of their size; the rest before and after is unmapped.
    const std::size_t before = page - reinterpret_cast<std::size_t>(area) % page;
    char* const memory = static_cast<char*>(area) + before;
    munmap(area, before);
    if (before < page) munmap(memory + used, page - before);
    // The last page stays small if it is not full: all of a huge page would count as used.
    madvise(memory, bytes / page * page, MADV_HUGEPAGE);
    return memory;
  }
#endif
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace powercut
