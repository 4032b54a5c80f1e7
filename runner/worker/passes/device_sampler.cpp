#include "runner/worker/passes/device_sampler.h"

#include <sched.h>

#include <chrono>
#include <optional>
#include <utility>

#include "runner/model/vocabulary/known_metric.h"

namespace sweepd {
namespace {

class Mean {
 public:
  void add(std::optional<double> value) {
    if (!value) return;
    sum_ += *value;
    ++n_;
  }
  void put(std::string_view metric, Samples& samples) const {
    if (n_ > 0) samples.add("step", metric, sum_ / n_);
  }

 private:
  double sum_ = 0;
  int n_ = 0;
};

bool bind_this_thread(const std::vector<int>& cores) {
  if (cores.empty()) return true;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) {
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &mask);
  }
  return ::sched_setaffinity(0, sizeof mask, &mask) == 0;
}

}  // namespace

void add_readings(const std::vector<TimedReading>& readings, Instant begin, Instant end,
                  Samples& samples) {
  Mean clock, power, temperature;
  for (const TimedReading& each : readings) {
    if (each.at < begin || each.at > end) continue;
    clock.add(each.reading.clock_mhz);
    power.add(each.reading.power_watts);
    temperature.add(each.reading.temperature_celsius);
  }
  clock.put(kDeviceClock, samples);
  power.put(kDevicePower, samples);
  temperature.put(kDeviceTemperature, samples);
}

DeviceSampler::DeviceSampler(std::unique_ptr<DeviceMeter> meter, std::vector<int> cores,
                             Duration period, std::function<Instant()> now)
    : meter_(std::move(meter)),
      period_(period),
      now_(std::move(now)),
      thread_([this, cores = std::move(cores)] { serve(cores); }) {}

DeviceSampler::~DeviceSampler() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

std::vector<TimedReading> DeviceSampler::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(taken_, {});
}

void DeviceSampler::serve(const std::vector<int>& cores) {
  if (!bind_this_thread(cores)) return;
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    const DeviceReading reading = meter_->read();
    const Instant at = now_();
    lock.lock();
    taken_.push_back({at, reading});
  } while (
      !ended_.wait_for(lock, std::chrono::nanoseconds(period_.ns), [this] { return ending_; }));
}

}  // namespace sweepd
