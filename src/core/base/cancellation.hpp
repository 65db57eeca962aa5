#pragma once

#include <cstdint>
#include <exception>

#include "base/types.hpp"

namespace powercut {

/// Thrown by a kernel that was asked to stop. Its output arrays then hold a valid partition.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

/// The progress of a kernel.
struct Progress {
  Node size = 0;         ///< number of nodes or points
  Count round = 0;       ///< rounds completed
  Count moves = 0;       ///< moves made
  double objective = 0;  ///< J with all constants; NaN where the kernel does not know it
};

/// Cancellation token and progress reporter: the only connection of a kernel to its caller's world.
class CancellationToken {
 public:
  virtual ~CancellationToken() = default;
  virtual bool requested() = 0;
  /// Whether a report is due. Kernels then compute J, which they otherwise need not know.
  virtual bool wants_report() { return false; }
  virtual void report(const Progress&) {}
};

/// Checks the token once per 2^16 units of work (edges, distances), so that a check in an innermost
/// loop costs one addition.
class Ticker {
 public:
  explicit Ticker(CancellationToken& token) : token_(token) {}

  void tick(std::int64_t work) {
    work_ += work;
    if (work_ >= period) {
      work_ = 0;
      if (token_.requested()) throw Cancelled();
    }
  }

 private:
  static constexpr std::int64_t period = 1 << 16;
  CancellationToken& token_;
  std::int64_t work_ = 0;
};

}  // namespace powercut
