// The clock, power and temperature of the device beside the steps. A thread reads them every tenth
// of a second; each step has the means of the readings that fall in it, and most short steps none.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/device_meter.h"
#include "workloads/api/workload.h"

namespace sweepd {

struct TimedReading {
  Instant at;  // when it was complete
  DeviceReading reading;
};

class ReadingSource {
 public:
  virtual ~ReadingSource() = default;
  // Returns those since the last call, in their order. Does not wait for one that has begun.
  virtual std::vector<TimedReading> take() = 0;
};

// Adds the means of those from `begin` to `end`, for phase `step`: device_clock, device_power,
// device_temperature (known_metric.h).
void add_readings(const std::vector<TimedReading>& readings, Instant begin, Instant end,
                  Samples& samples);

inline constexpr Duration kSamplePeriod = milliseconds(100);

class DeviceSampler final : public ReadingSource {
 public:
  // Reads at once and then in each period, on a thread of its own that is bound to `cores`; empty:
  // to those of the caller. Reads nothing if it cannot be bound. Another thread calls `now`.
  DeviceSampler(std::unique_ptr<DeviceMeter> meter, std::vector<int> cores,
                Duration period = kSamplePeriod, std::function<Instant()> now = now_instant);
  ~DeviceSampler() override;  // waits for a reading that has begun
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  std::vector<TimedReading> take() override;

 private:
  void serve(const std::vector<int>& cores);

  std::unique_ptr<DeviceMeter> meter_;
  Duration period_;
  std::function<Instant()> now_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::vector<TimedReading> taken_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sweepd
