// The common and differing properties of a table's attempts: their parameters, machines, dates and
// programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/model/vocabulary/value.h"

namespace sweepd {

struct MeasuredWith {
  struct Param {
    std::size_t index = 0;  // into WorkloadDef::params
    // All values, ascending, or the smallest and the largest if they are `several`.
    std::vector<Value> values;
    bool several = false;
  };
  std::vector<Param> params;  // in the order of the workload
  // Of done attempts:
  std::vector<std::string> devices;     // names, sorted
  std::vector<std::string> programs;    // versions of sweepd, else commits; sorted
  std::optional<WallTime> first, last;  // when attempts ended
};

}  // namespace sweepd
