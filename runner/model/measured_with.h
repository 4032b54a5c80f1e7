// What the attempts behind a table have in common, and in what they differ: the values of their
// parameters, what they ran on, when, and by which programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/model/value.h"

namespace sweepd {

struct MeasuredWith {
  struct Param {
    std::size_t index = 0;  // into WorkloadDef::params
    // All values, ascending, or if they are `several` the least and the largest.
    std::vector<Value> values;
    bool several = false;
  };
  std::vector<Param> params;  // in the order of the workload
  // Of what is done:
  std::vector<std::string> devices;     // names, sorted
  std::vector<std::string> programs;    // versions of sweepd, else commits; sorted
  std::optional<WallTime> first, last;  // when attempts ended
};

}  // namespace sweepd
