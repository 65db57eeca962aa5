#pragma once

#include <cstdint>
#include <exception>

#include "base/types.hpp"

namespace powercut {

/// Thrown out of a kernel that was asked to stop. What the kernel had written
/// to its output arrays by then is a valid partition.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

/// Where a kernel is.
struct Round {
  Node size = 0;         ///< nodes, or points, that it works on
  Count round = 0;       ///< rounds that it has made
  Count moves = 0;       ///< moves that it has made
  double objective = 0;  ///< J, all constants included; NaN where it does not know
};

/// Somebody who may want the work to end, or to hear where it is. Kernels know nothing else of
/// the world.
class Cancel {
 public:
  virtual ~Cancel() = default;
  virtual bool requested() = 0;
  /// Whether it is time to say something again: J need not be computed for nobody.
  virtual bool listens() { return false; }
  virtual void hear(const Round&) {}
};

/// Asks a Cancel once for so many units of work (edges, distances), so that a
/// kernel can report work in its innermost loop at the price of an addition.
class Ticker {
 public:
  explicit Ticker(Cancel& cancel) : cancel_(cancel) {}

  void tick(std::int64_t work) {
    work_ += work;
    if (work_ >= period) {
      work_ = 0;
      if (cancel_.requested()) throw Cancelled();
    }
  }

 private:
  static constexpr std::int64_t period = 1 << 16;
  Cancel& cancel_;
  std::int64_t work_ = 0;
};

}  // namespace powercut
