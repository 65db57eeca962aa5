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

/// A wish to stop that any thread may set, for work that runs in another. Work that was
/// cancelled is given up; work that expired, at once or at its time, ends with what it has.
///
/// A thread may have a function called while kernels that it has called are running, and ask
/// where the work is: what a kernel said last, in whatever thread it runs.
class CancelFlag {
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

  void listen(std::optional<nb::object> callback) {
    callback_ = std::move(callback);
    thread_ = PyThread_get_thread_ident();
    listens_.store(callback_.has_value(), std::memory_order_relaxed);
  }
  bool listens() const { return listens_.load(std::memory_order_relaxed); }
  bool calls_this_thread() const { return listens() && thread_ == PyThread_get_thread_ident(); }
  void call_back() const { (*callback_)(); }

  /// The last J that is known stays.
  void hear(Round round) {
    const std::scoped_lock lock(hearing_);
    if (std::isnan(round.objective)) round.objective = round_.objective;
    round_ = round;
  }
  void reached(double objective) {
    const std::scoped_lock lock(hearing_);
    round_.objective = objective;
  }
  auto round() {
    const std::scoped_lock lock(hearing_);
    return std::make_tuple(round_.size, round_.round, round_.moves, round_.objective);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::atomic<bool> set_{false};
  std::atomic<double> expires_{never};
  std::optional<nb::object> callback_;
  unsigned long thread_ = 0;
  std::atomic<bool> listens_{false};
  std::mutex hearing_;
  Round round_{.objective = std::numeric_limits<double>::quiet_NaN()};
};

/// Ends a kernel when its flag is set, or when a signal handler of Python or the function that
/// listens raises. Python runs signal handlers on the main thread alone, so only there is it
/// asked, and both only so often that nobody notices.
class PythonCancel : public Cancel {
 public:
  explicit PythonCancel(CancelFlag* flag)
      : flag_(flag), calls_(flag != nullptr && flag->calls_this_thread()) {
    nb::object main = nb::module_::import_("threading").attr("main_thread")();
    on_main_thread_ = nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
    if (calls_) flag_->call_back();  // a short kernel may not come to it again
  }

  bool requested() override {
    if (flag_ != nullptr && (flag_->is_set() || flag_->expired())) return true;
    if (!on_main_thread_ && !calls_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(20)) return false;
    asked_ = now;
    nb::gil_scoped_acquire gil;
    raised_ = (on_main_thread_ && PyErr_CheckSignals() != 0) || (calls_ && callback_raises());
    return raised_;
  }

  bool listens() override {
    if (flag_ == nullptr || !flag_->listens()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - heard_ < std::chrono::milliseconds(100)) return false;
    heard_ = now;
    return true;
  }

  void hear(const Round& round) override {
    if (flag_ != nullptr && flag_->listens()) flag_->hear(round);
  }

  bool raised() const { return raised_; }

 private:
  bool callback_raises() const {
    try {
      flag_->call_back();
      return false;
    } catch (nb::python_error& error) {
      error.restore();
      return true;
    }
  }

  CancelFlag* flag_;
  bool calls_;
  bool on_main_thread_ = false;
  bool raised_ = false;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point heard_{};
};

/// Runs a kernel without the GIL. An exception of Python's that ended it goes on as it is; a
/// flag that was set becomes powercut._core.Cancelled.
template <class Kernel>
auto run(CancelFlag* flag, Kernel&& kernel) {
  PythonCancel cancel(flag);
  try {
    nb::gil_scoped_release no_gil;
    return kernel(cancel);
  } catch (const Cancelled&) {
    if (cancel.raised()) throw nb::python_error();
    throw;
  }
}

}  // namespace powercut
