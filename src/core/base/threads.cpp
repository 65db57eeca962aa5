#include "base/threads.hpp"

#include <algorithm>
#include <system_error>

namespace powercut {
namespace {

/// The next loop usually follows within microseconds, or only after a long time.
constexpr int spins = 1000;

void pause() {
#if defined(__x86_64__) || defined(_M_X64) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  for (int i = 0; i < spins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(int n_threads) {
  for (int thread = 1; thread < n_threads; ++thread) {
    try {
      threads_.emplace_back([this, thread] { serve(thread); });
    } catch (const std::system_error&) {
      break;
    }
  }
}

ThreadTeam::~ThreadTeam() {
  closing_.store(true, std::memory_order_relaxed);
  loops_begun_.fetch_add(1, std::memory_order_release);
  loops_begun_.notify_all();
  for (std::thread& other : threads_) other.join();
}

void ThreadTeam::begin(const Loop& loop) {
  loop_ = loop;
  failure_ = nullptr;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  loops_begun_.fetch_add(1, std::memory_order_release);
  loops_begun_.notify_all();
  work(0);
}

void ThreadTeam::end() {
  for (int busy = busy_.load(std::memory_order_acquire); busy != 0;
       busy = busy_.load(std::memory_order_acquire)) {
    wait_while(busy_, busy);
  }
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadTeam::work(int thread) {
  try {
    while (true) {
      const std::int64_t begin = next_.fetch_add(loop_.range_length, std::memory_order_relaxed);
      if (begin >= loop_.n) return;
      loop_.call(loop_.body, thread, begin, std::min(begin + loop_.range_length, loop_.n));
    }
  } catch (...) {
    next_.store(loop_.n, std::memory_order_relaxed);
    const std::scoped_lock lock(failing_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void ThreadTeam::serve(int thread) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(loops_begun_, seen);
    if (closing_.load(std::memory_order_relaxed)) return;
    work(thread);
    if (busy_.fetch_sub(1, std::memory_order_release) == 1) busy_.notify_all();
  }
}

}  // namespace powercut
