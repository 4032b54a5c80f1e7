// The measure loop's interface to a trial's other ranks. The calls are collective: every rank
// makes the same calls in the same order.
#pragma once

namespace sweepd {

class Gang {
 public:
  virtual ~Gang() = default;
  virtual void barrier() = 0;               // returns once every rank has entered it
  virtual double largest(double mine) = 0;  // of all ranks' values; the same on every rank
};

}  // namespace sweepd
