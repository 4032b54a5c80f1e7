// The wait before a failed operation is retried: twice as long each time.
#pragma once

#include <algorithm>

#include "runner/base/units.h"

namespace sweepd {

class Backoff {
 public:
  Backoff(Duration first, Duration most) : first_(first), most_(most) {}

  Duration next() {
    last_ = last_.ns == 0 ? first_ : std::min(Duration{2 * last_.ns}, most_);
    return last_;
  }
  void reset() { last_ = {}; }  // call after a success

 private:
  Duration first_, most_, last_{0};
};

}  // namespace sweepd
