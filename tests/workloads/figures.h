#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string_view>

#include "runner/model/measurement/work.h"

namespace sweepd {

// The value of a figure by its name; a failure of the test, and no number, when there is none.
inline double figure(const WorkPerStep& work, std::string_view name) {
  for (const Figure& one : work.figures) {
    if (one.name == name) return one.value;
  }
  ADD_FAILURE() << "no figure " << name;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sweepd
