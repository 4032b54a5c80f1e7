// The energy that a part of this machine uses, as the part itself counts it: the CPU by RAPL
// (rapl.h), a GPU by NVML (gpu_energy.h).
//
// A counter includes all processes and idle power. A reading takes from 0.01 to some milliseconds:
// never inside a measured step. One thread at a time per object.
#pragma once

#include <optional>

#include "runner/base/units.h"

namespace sweepd {

class EnergyCounter {
 public:
  virtual ~EnergyCounter() = default;
  // Joules since a moment that does not change while the object lives. Nothing if the counter
  // cannot be read now.
  virtual std::optional<double> joules() = 0;
  // The counter moves in updates; this is the longest time between two of them.
  virtual Duration update() const = 0;
};

}  // namespace sweepd
