#include "workloads/dist/exposed_clock.h"

namespace sweepd {

ExposedClock::ExposedClock(Device& device, std::size_t most_waits)
    : timeline_(device.timeline(2 * most_waits + 2)) {}

void ExposedClock::begin_step() {
  timeline_->clear();
  waits_ = 0;
  timeline_->mark();
}

void ExposedClock::end_step() {
  timeline_->mark();
}

double ExposedClock::exposed_ms() {
  double sum = 0;
  for (std::size_t i = 0; i < waits_; ++i) sum += timeline_->elapsed_ms(2 * i + 1, 2 * i + 2);
  return sum;
}

void ExposedClock::tell(double communication_ms, Samples& samples) {
  const double exposed = exposed_ms();
  const double step = timeline_->elapsed_ms(0, 2 * waits_ + 1);
  samples.add("step", "communication_time", communication_ms);
  samples.add("step", "exposed_time", exposed);
  samples.add("step", "exposed_share", step > 0 ? exposed / step : 0);
}

}  // namespace sweepd
