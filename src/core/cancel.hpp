#pragma once

#include <cstdint>
#include <exception>

namespace powercut {

/// Thrown out of a kernel that was asked to stop. What the kernel had written
/// to its output arrays by then is a valid partition.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

/// Somebody who may want the work to end. Kernels know nothing else of the world.
class Cancel {
 public:
  virtual ~Cancel() = default;
  virtual bool requested() = 0;
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
