// Measures how long a step's own work waited for communication, with marks on the device's
// timeline. Only the marks are set inside the step.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/api/device.h"
#include "workloads/api/workload.h"

namespace sweepd {

class ExposedClock {
 public:
  ExposedClock(Device& device, std::size_t most_waits);

  void begin_step();
  void wait(auto&& communication) {
    timeline_->mark();
    communication();
    timeline_->mark();
    ++waits_;
  }
  void end_step();

  // Call after a synchronise. Adds samples of phase `step`: `communication_time` (given, in ms),
  // `exposed_time` (of all waits) and `exposed_share` (of the step).
  void tell(double communication_ms, Samples& samples);
  double exposed_ms();

 private:
  std::unique_ptr<Timeline> timeline_;
  std::size_t waits_ = 0;
};

}  // namespace sweepd
