#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "base/cancellation.hpp"

namespace powercut {

namespace nb = nanobind;

/// The cancellation token that Python holds; any thread may set it. Cancelled work is discarded;
/// work that expired (now, or at a given time) returns its best result so far.
///
/// A thread can register a callback, which is called while its kernels run, and can read the latest
/// progress report, from whichever thread it came.
class SharedToken {
 public:
  void set() { set_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return set_.load(std::memory_order_relaxed); }

  void expire_in(double seconds) {
    const auto now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    expires_.store(now + seconds, std::memory_order_relaxed);
  }
  bool expired() const {
    const double time = expires_.load(std::memory_order_relaxed);
    return time < never &&
           std::chrono::duration<double>(Clock::now().time_since_epoch()).count() >= time;
  }

  void set_callback(std::optional<nb::object> callback) {
    callback_ = std::move(callback);
    thread_.store(PyThread_get_thread_ident(), std::memory_order_relaxed);
    // Whoever sees that there is a callback sees its thread, too.
    has_callback_.store(callback_.has_value(), std::memory_order_release);
  }
  bool has_callback() const { return has_callback_.load(std::memory_order_acquire); }
  bool calls_this_thread() const {
    return has_callback() && thread_.load(std::memory_order_relaxed) == PyThread_get_thread_ident();
  }
  void call_back() const { (*callback_)(); }

  /// Keeps the last known J if the report has none.
  void report(Progress progress) {
    const std::scoped_lock lock(reporting_);
    if (std::isnan(progress.objective)) progress.objective = progress_.objective;
    progress_ = progress;
  }
  void report_objective(double objective) {
    const std::scoped_lock lock(reporting_);
    progress_.objective = objective;
  }
  auto last_report() {
    const std::scoped_lock lock(reporting_);
    return std::make_tuple(progress_.size, progress_.round, progress_.moves, progress_.objective);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::atomic<bool> set_{false};
  std::atomic<double> expires_{never};
  std::optional<nb::object> callback_;
  std::atomic<unsigned long> thread_{0};
  std::atomic<bool> has_callback_{false};
  std::mutex reporting_;
  Progress progress_{.objective = std::numeric_limits<double>::quiet_NaN()};
};

/// The token of one kernel call. Ends the kernel when Python's token is set, or when a signal
/// handler or the progress callback raises. Python runs signal handlers only on the main thread, so
/// only there are signals checked. Both happen rarely enough to cost no time.
class CallToken : public CancellationToken {
 public:
  explicit CallToken(SharedToken* shared)
      : shared_(shared), calls_(shared != nullptr && shared->calls_this_thread()) {
    nb::object main = nb::module_::import_("threading").attr("main_thread")();
    on_main_thread_ = nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
    if (calls_) shared_->call_back();  // a short kernel may end before its first check
  }

  bool requested() override {
    if (shared_ != nullptr && (shared_->is_set() || shared_->expired())) return true;
    if (!on_main_thread_ && !calls_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - checked_ < std::chrono::milliseconds(20)) return false;
    checked_ = now;
    nb::gil_scoped_acquire gil;
    raised_ = (on_main_thread_ && PyErr_CheckSignals() != 0) || (calls_ && callback_raises());
    return raised_;
  }

  bool wants_report() override {
    if (shared_ == nullptr || !shared_->has_callback()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - reported_ < std::chrono::milliseconds(100)) return false;
    reported_ = now;
    return true;
  }

  void report(const Progress& progress) override {
    if (shared_ != nullptr && shared_->has_callback()) shared_->report(progress);
  }

  bool raised() const { return raised_; }

 private:
  bool callback_raises() const {
    try {
      shared_->call_back();
      return false;
    } catch (nb::python_error& error) {
      error.restore();
      return true;
    }
  }

  SharedToken* shared_;
  bool calls_;
  bool on_main_thread_ = false;
  bool raised_ = false;
  std::chrono::steady_clock::time_point checked_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point reported_{};
};

/// Runs a kernel without the GIL. A Python exception that ended the kernel is passed on; a token
/// that was set becomes powercut._core.Cancelled.
template <class Kernel>
auto run(SharedToken* shared, Kernel&& kernel) {
  CallToken token(shared);
  try {
    nb::gil_scoped_release no_gil;
    return kernel(token);
  } catch (const Cancelled&) {
    if (token.raised()) throw nb::python_error();
    throw;
  }
}

}  // namespace powercut
