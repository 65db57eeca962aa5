#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace powercut {

/// Threads that share the loops of one kernel call.
///
/// They live as long as the call, so no thread is left when the process forks, idles or exits, and
/// concurrent calls are independent. Between two loops they spin briefly and then sleep.
class ThreadTeam {
 public:
  /// Includes the calling thread; has fewer threads if the system grants no more.
  explicit ThreadTeam(int n_threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls body(thread, begin, end) for ranges of at most `range_length` that cover [0, n). The
  /// assignment of ranges to threads is not deterministic, so a body may write only what belongs to
  /// its range. The first exception ends the loop and is rethrown to the caller, which is thread 0.
  template <class Body>
  void for_ranges(std::int64_t n, std::int64_t range_length, Body&& body) {
    for_ranges(n, range_length, body, nullptr);
  }

  /// The same for long ranges: while the calling thread waits for the others, it calls poll() a few
  /// hundred times a second, which must not throw.
  template <class Body, class Poll>
  void for_ranges(std::int64_t n, std::int64_t range_length, Body&& body, Poll&& poll) {
    if (threads_.empty() || n <= range_length) {
      for (std::int64_t begin = 0; begin < n; begin += range_length) {
        body(0, begin, begin + range_length < n ? begin + range_length : n);
      }
      return;
    }
    begin(
        {n, range_length, &body, [](void* self, int thread, std::int64_t begin, std::int64_t end) {
           (*static_cast<std::remove_reference_t<Body>*>(self))(thread, begin, end);
         }});
    if constexpr (!std::is_null_pointer_v<std::remove_cvref_t<Poll>>) {
      while (!is_done()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        poll();
      }
    }
    end();
  }

 private:
  struct Loop {
    std::int64_t n = 0;
    std::int64_t range_length = 1;
    void* body = nullptr;
    void (*call)(void*, int, std::int64_t, std::int64_t) = nullptr;
  };

  /// Starts a loop, and works on it until no range is left.
  void begin(const Loop& loop);
  bool is_done() const { return busy_.load(std::memory_order_acquire) == 0; }
  /// Waits for the other threads.
  void end();
  void work(int thread);
  void serve(int thread);

  Loop loop_;
  std::vector<std::thread> threads_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::uint32_t> loops_begun_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> closing_{false};
  std::mutex failing_;
  std::exception_ptr failure_;
};

}  // namespace powercut
