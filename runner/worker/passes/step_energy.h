// The energy of a step, from a counter that moves in updates, of about a millisecond on a CPU and
// up to a tenth of a second on a GPU. A step that is not much longer than an update cannot be
// measured alone, so by default the energy is that of all measured steps by their number. Where the
// first one lasts ten updates or more, each step has its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "runner/base/clock.h"
#include "runner/base/energy_counter.h"
#include "workloads/api/device.h"

namespace sweepd {

// RAPL of a CPU, with the kernel's files below `root`, and NVML of a GPU; null where it cannot be
// read. The energies of ranks add up, and those of a host share its RAPL: only the first has it.
std::unique_ptr<EnergyCounter> energy_counter_of(Device& device, int rank,
                                                 const std::filesystem::path& root);

// Call all of it between steps, while the device is idle. Without a counter (null) no step has an
// energy, nor where a reading fails.
class StepEnergy {
 public:
  // With several ranks all must choose alike, so steps have no energy of their own.
  enum class Ranks { kOne, kSeveral };

  explicit StepEnergy(EnergyCounter* counter, Ranks ranks = Ranks::kOne)
      : counter_(counter), ranks_(ranks) {}

  void begin(Instant now);                  // before the first measured step
  std::optional<double> step(Instant now);  // after each: its own joules, if it is long enough
  std::optional<double> mean_of_all();      // after the last: joules of a step, if none had its own

 private:
  std::optional<double> read(Instant now);
  bool lasts_long_enough(Instant now) const;

  EnergyCounter* counter_;
  Ranks ranks_;
  bool each_ = false;
  Instant began_, ended_, read_at_;
  std::int64_t steps_ = 0;
  std::optional<double> first_, last_;  // readings
};

}  // namespace sweepd
