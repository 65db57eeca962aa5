#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace powercut {

/// Threads that share the loops of one kernel call and end with it.
///
/// They are made for the call and joined at its end, so nothing is left running when a
/// process forks, idles or exits, and calls from several threads know nothing of each
/// other. Between two loops they spin for a moment and then sleep.
class Team {
 public:
  /// The caller is one of the members; fewer if the system grants no more.
  explicit Team(int members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls body(member, begin, end) until the ranges, each at most `grain` long, have
  /// covered [0, n). Who gets which range is left to chance, so a body may only write what
  /// belongs to its range. The first exception ends the loop and is thrown to the caller;
  /// member 0 is the calling thread.
  template <class Body>
  void for_ranges(std::int64_t n, std::int64_t grain, Body&& body) {
    if (threads_.empty() || n <= grain) {
      for (std::int64_t begin = 0; begin < n; begin += grain) {
        body(0, begin, begin + grain < n ? begin + grain : n);
      }
      return;
    }
    run({n, grain, &body, [](void* self, int member, std::int64_t begin, std::int64_t end) {
           (*static_cast<std::remove_reference_t<Body>*>(self))(member, begin, end);
         }});
  }

 private:
  struct Loop {
    std::int64_t n = 0;
    std::int64_t grain = 1;
    void* body = nullptr;
    void (*call)(void*, int, std::int64_t, std::int64_t) = nullptr;
  };

  void run(const Loop& loop);
  void work(int member);
  void serve(int member);

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
